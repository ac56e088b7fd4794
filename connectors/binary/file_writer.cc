#include "connectors/binary/file_writer.h"

#include <utility>

#include "connectors/record_limits.h"
#include "engine/base/check.h"

namespace lethe {

namespace {

// A timestamp is written plus 1, so that 0 means none. A flag tells that the arrival follows, and
// another one that the timestamp is the broker's.
std::uint64_t TimeField(const Record& record) {
  auto time = static_cast<std::uint64_t>(record.timestamp.value + 1);
  if (record.is_broker_time) time |= binary_file::kBrokerTimeFlag;
  return record.arrival == kNoTime ? time : time | binary_file::kArrivalFlag;
}
static_assert(kNoTime.value == -1);

void CheckPlace(const Record& record) {
  LETHE_CHECK(record.shard.value >= 0 && record.shard.value <= kMaxPartition);
  LETHE_CHECK(record.offset.value >= 0 && record.offset.value <= kMaxOffset);
  LETHE_CHECK(record.timestamp >= kNoTime && record.timestamp.value <= kMaxTimeMs);
  LETHE_CHECK(record.arrival >= kNoTime && record.arrival.value <= kMaxTimeMs);
}

}  // namespace

BinaryFileEncoder::BinaryFileEncoder(BinaryFileOptions options) : options_(options) {}

std::optional<Rejection> BinaryFileEncoder::Add(const Record& record, std::string& out) {
  if (record.rejection) return record.rejection;
  CheckPlace(record);
  record_.clear();
  wire::AppendVarint(static_cast<std::uint64_t>(record.shard.value), record_);
  wire::AppendVarint(static_cast<std::uint64_t>(record.offset.value), record_);
  wire::AppendVarint(TimeField(record), record_);
  if (record.arrival != kNoTime) {
    wire::AppendVarint(static_cast<std::uint64_t>(record.arrival.value), record_);
  }
  if (auto refused = codec_.Encode(record.event, options_.width, record_)) return refused;
  const bool fits =
      block_.size() + wire::kMaxVarintBytes + record_.size() <= binary_file::kBlockBytes;
  if (!fits) CloseBlock(out);
  wire::AppendVarint(record_.size(), block_);
  block_.append(record_);
  ++block_header_.records;
  return std::nullopt;
}

void BinaryFileEncoder::Start(std::string& out) {
  if (is_started_) return;
  is_started_ = true;
  binary_file::AppendHeader(
      {.float32 = options_.width == NumberWidth::kFloat32, .bare = options_.bare}, out);
}

void BinaryFileEncoder::CloseBlock(std::string& out) {
  Start(out);
  if (block_.empty()) return;
  block_header_.payload_bytes = static_cast<std::uint32_t>(block_.size());
  block_header_.records_before = records_;
  binary_file::AppendBlock(block_header_, block_, out);
  records_ += block_header_.records;
  block_header_ = {};
  block_.clear();
}

void BinaryFileEncoder::Finish(std::string& out) {
  CloseBlock(out);
  binary_file::AppendFooter(records_, out);
}

Result<std::unique_ptr<RecordWriter>> BinaryFileWriter::Open(const std::string& path,
                                                             BinaryFileOptions options) {
  auto out = StreamWriter::Open(path);
  if (!out.ok()) return out.status();
  return std::unique_ptr<RecordWriter>(new BinaryFileWriter(std::move(out).value(), options));
}

BinaryFileWriter::BinaryFileWriter(std::unique_ptr<StreamWriter> out, BinaryFileOptions options)
    : out_(std::move(out)), encoder_(options) {}

Status BinaryFileWriter::Write(const Record& record, std::optional<Rejection>& refused) {
  refused = encoder_.Add(record, bytes_);
  return bytes_.empty() ? Status::Ok() : Flush();
}

Status BinaryFileWriter::Close() {
  encoder_.Finish(bytes_);
  LETHE_RETURN_IF_ERROR(Flush());
  return out_->Close();
}

Status BinaryFileWriter::Flush() {
  const Status written = out_->Write(bytes_);
  bytes_.clear();
  return written;
}

}  // namespace lethe
