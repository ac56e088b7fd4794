#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "connectors/file/record_writer.h"
#include "connectors/file/stream_writer.h"
#include "engine/base/json.h"
#include "engine/base/status.h"
#include "engine/ports/event.h"

namespace lethe {

// The line of a record in a recorded stream, as JsonEventCodec reads it back: the same event at the
// same place, every number bit for bit. Members have a fixed order, numbers are the shortest text
// that reads back, and nothing absent is written. `bare` leaves the place out.
//
// A record that no line can hold (one with a rejection, an id that is not UTF-8, a line above the
// limit of LineReader) is a rejection; a bare one holds no subject that is not UTF-8.
[[nodiscard]] std::optional<Rejection> WriteJsonLine(const Record& record, bool bare,
                                                     std::string& line);

// The key of an envelope: as text if it is UTF-8, and else in Base64.
void WriteKey(std::string_view key, JsonWriter& json);

// Writes a recorded stream as NDJSON: compressed by its ending, see StreamWriter.
class JsonFileWriter final : public RecordWriter {
 public:
  // With `bare` the lines are bare events, as long as nothing is lost: from the first record on
  // that has a timestamp, not the place that a bare event would have, or a subject that is not
  // UTF-8, they are envelopes.
  static Result<std::unique_ptr<RecordWriter>> Open(const std::string& path, bool bare);

  Status Write(const Record& record, std::optional<Rejection>& refused) override;
  Status Close() override { return out_->Close(); }

 private:
  JsonFileWriter(std::unique_ptr<StreamWriter> out, bool bare);

  const std::unique_ptr<StreamWriter> out_;
  bool bare_;
  Offset next_;  // of a bare event
  std::string line_;
};

}  // namespace lethe
