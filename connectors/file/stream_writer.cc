#include "connectors/file/stream_writer.h"

#include <utility>

#include "connectors/file/encoder.h"
#include "connectors/file/raw_output.h"
#include "engine/base/check.h"

namespace lethe {

namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 18;

}  // namespace

Result<std::unique_ptr<StreamWriter>> StreamWriter::Open(const std::string& path) {
  auto output = RawOutput::Open(path);
  if (!output.ok()) return output.status();
  return std::unique_ptr<StreamWriter>(
      new StreamWriter(std::move(output).value(), MakeEncoder(path)));
}

StreamWriter::StreamWriter(std::unique_ptr<RawOutput> output, std::unique_ptr<Encoder> encoder)
    : output_(std::move(output)), encoder_(std::move(encoder)) {}

StreamWriter::~StreamWriter() = default;

Status StreamWriter::WriteLine(std::string_view line) {
  pending_.append(line);
  return Write("\n");
}

Status StreamWriter::Write(std::string_view bytes) {
  LETHE_CHECK(!is_closed_);
  pending_.append(bytes);
  if (pending_.size() >= kPieceBytes) return Flush(false);
  return failed_;
}

Status StreamWriter::Close() {
  LETHE_CHECK(!std::exchange(is_closed_, true));
  LETHE_RETURN_IF_ERROR(Flush(true));
  return output_->Commit();
}

Status StreamWriter::Flush(bool is_last) {
  if (failed_.ok()) {
    std::string encoded;
    if (encoder_->Encode(pending_, is_last, encoded)) {
      failed_ = output_->Write(encoded);
    } else {
      failed_ = Status(ErrorCode::kDisk, "out of memory while compressing");
    }
  }
  pending_.clear();
  return failed_;
}

}  // namespace lethe
