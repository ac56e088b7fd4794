#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "connectors/binary/event_codec.h"
#include "connectors/binary/file_format.h"
#include "connectors/file/record_writer.h"
#include "connectors/file/stream_writer.h"
#include "engine/base/status.h"
#include "engine/ports/event.h"

namespace lethe {

// How a recording is written.
struct BinaryFileOptions {
  NumberWidth width = NumberWidth::kFloat64;
  bool bare = false;  // see RecordedStream::is_bare
};

// Makes the bytes of a binary recording, piece by piece. The same records give the same bytes.
// Keeps one block. Not thread-safe.
class BinaryFileEncoder {
 public:
  explicit BinaryFileEncoder(BinaryFileOptions options);

  // Adds a record, and appends to `out` what can be written by now. A record that cannot be written
  // (one with a rejection, or see BinaryEventCodec::Encode) is refused, and the file goes on
  // without it. Its place must be within the limits of connectors/record_limits.h.
  [[nodiscard]] std::optional<Rejection> Add(const Record& record, std::string& out);

  // Appends the rest. To be called once, at the end.
  void Finish(std::string& out);

 private:
  void CloseBlock(std::string& out);
  // Appends the header, if that was not done yet.
  void Start(std::string& out);

  const BinaryFileOptions options_;
  const BinaryEventCodec codec_;
  std::string record_;  // the one at hand
  std::string block_;   // the records of the block at hand
  binary_file::BlockHeader block_header_;
  std::uint64_t records_ = 0;  // in the blocks that are closed
  bool is_started_ = false;    // the header was appended
};

// Writes a binary recording to a file: compressed by its ending, see StreamWriter.
class BinaryFileWriter final : public RecordWriter {
 public:
  static Result<std::unique_ptr<RecordWriter>> Open(const std::string& path,
                                                    BinaryFileOptions options);

  Status Write(const Record& record, std::optional<Rejection>& refused) override;
  Status Close() override;

 private:
  BinaryFileWriter(std::unique_ptr<StreamWriter> out, BinaryFileOptions options);

  Status Flush();

  const std::unique_ptr<StreamWriter> out_;
  BinaryFileEncoder encoder_;
  std::string bytes_;
};

}  // namespace lethe
