#pragma once

#include <memory>
#include <string>

#include "connectors/file/stream_writer.h"
#include "connectors/json/event_codec.h"
#include "connectors/kafka/found_message.h"
#include "engine/base/status.h"
#include "engine/ports/event.h"

namespace lethe {

// Writes messages of a topic as lines of a recorded stream: a value that is one line of JSON as it
// is, any other one as Base64. Each line is read back before it is written, and must give the same
// record. Not thread-safe.
class EnvelopeWriter {
 public:
  static Result<std::unique_ptr<EnvelopeWriter>> Open(const std::string& path);

  // `record` is what the message was decoded to. Not kept: no line gives the same, which is so for
  // values near the limit of a line.
  Status Write(const FoundMessage& message, const Record& record, bool& is_kept);
  // To be called once, at the end; without it no file is left.
  Status Close() { return out_->Close(); }

 private:
  explicit EnvelopeWriter(std::unique_ptr<StreamWriter> out) : out_(std::move(out)) {}

  void MakeLine(const FoundMessage& message, TimeMs arrival, bool as_base64);
  bool ReadsBackAs(const Record& record);

  const std::unique_ptr<StreamWriter> out_;
  std::string line_;
  JsonEventCodec codec_;
  Record back_;
};

}  // namespace lethe
