#pragma once

#include <memory>
#include <string>

#include "connectors/file/stream_writer.h"
#include "connectors/json/event_codec.h"
#include "connectors/kafka/found_message.h"
#include "engine/base/status.h"
#include "engine/ports/event.h"

namespace lethe {

// A writer of Kafka messages as lines of a recorded stream. A value that is one line of JSON is
// written as it is, any other value as Base64. Each line is read back before it is written, and
// must give the same record. Owns the file. Not thread-safe. After an error only destruction is
// allowed, and no file is left.
class EnvelopeWriter {
 public:
  static Result<std::unique_ptr<EnvelopeWriter>> Open(const std::string& path);

  // `record` is the decoded message. Sets `is_kept` to whether the message was written: for a value
  // near the longest line that is allowed, no line gives the same record.
  Status Write(const FoundMessage& message, const Record& record, bool& is_kept);
  // To be called once, at the end: gives the file its name. Without it no file is left.
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
