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

// Options of a binary recording.
struct BinaryFileOptions {
  NumberWidth width = NumberWidth::kFloat64;
  bool bare = false;  // see RecordedStream::is_bare
};

// An encoder that produces the bytes of a binary recording piece by piece. The same records give
// the same bytes. It holds one block in memory. Not thread-safe. It borrows nothing after a call.
class BinaryFileEncoder {
 public:
  explicit BinaryFileEncoder(BinaryFileOptions options);

  // Adds a record, and appends to `out` the bytes that are complete. Returns a rejection if the
  // form cannot hold the record (it has a rejection itself, or see BinaryEventCodec::Encode); the
  // recording goes on without it. The position must be within the limits of
  // connectors/record_limits.h.
  [[nodiscard]] std::optional<Rejection> Add(const Record& record, std::string& out);

  // Appends the last block and the footer. Call it once, at the end.
  void Finish(std::string& out);

 private:
  void CloseBlock(std::string& out);
  // Appends the header, if it was not appended yet.
  void Start(std::string& out);

  const BinaryFileOptions options_;
  const BinaryEventCodec codec_;
  std::string record_;  // the current record
  std::string block_;   // the records of the current block
  binary_file::BlockHeader block_header_;
  std::uint64_t records_ = 0;  // records in closed blocks
  bool is_started_ = false;    // the header was appended
};

// A RecordWriter for the binary form. The ending of the path selects the compression (see
// StreamWriter). Not thread-safe. Errors are those of RecordWriter.
class BinaryFileWriter final : public RecordWriter {
 public:
  // kDisk if the file cannot be created.
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
