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

// Writes the line of a record in a recording. JsonEventCodec reads back the same event at the same
// position, with every number equal bit for bit. Members have a fixed order, a number is the
// shortest text that reads back, and absent members are not written. With `bare` the position is
// left out.
//
// Returns a rejection, and leaves `line` unchanged, if no line can hold the record: it has a
// rejection itself, an id is not UTF-8, the line exceeds the limit of LineReader, or `bare` is set
// and the subject is not UTF-8.
[[nodiscard]] std::optional<Rejection> WriteJsonLine(const Record& record, bool bare,
                                                     std::string& line);

// Writes the key of an envelope: "key" if it is UTF-8, and otherwise "key_base64".
void WriteKey(std::string_view key, JsonWriter& json);

// A RecordWriter for NDJSON. The ending of the path selects the compression (see StreamWriter). Not
// thread-safe. Errors are those of RecordWriter.
class JsonFileWriter final : public RecordWriter {
 public:
  // With `bare` the lines are bare events as long as that loses nothing. The first record that has
  // a timestamp, another position than a bare event would get, or a subject that is not UTF-8 is an
  // envelope, and so are all records after it. kDisk if the file cannot be created.
  static Result<std::unique_ptr<RecordWriter>> Open(const std::string& path, bool bare);

  Status Write(const Record& record, std::optional<Rejection>& refused) override;
  Status Close() override { return out_->Close(); }

 private:
  JsonFileWriter(std::unique_ptr<StreamWriter> out, bool bare);

  const std::unique_ptr<StreamWriter> out_;
  bool bare_;
  Offset next_;  // the offset that the next bare event would get
  std::string line_;
};

}  // namespace lethe
