#include "connectors/binary/file_reader.h"

#include <algorithm>
#include <utility>

#include "connectors/record_limits.h"
#include "engine/base/check.h"

namespace lethe {

namespace {

using binary_file::BlockHeader;

bool ReadCount(wire::Cursor& cursor, std::int64_t max, std::int64_t& count) {
  std::uint64_t value = 0;
  if (!cursor.ReadVarint(value) || value > static_cast<std::uint64_t>(max)) return false;
  count = static_cast<std::int64_t>(value);
  return true;
}

bool ReadPlace(wire::Cursor& cursor, Record& record) {
  std::uint64_t time = 0;
  if (!ReadCount(cursor, kMaxPartition, record.shard.value) ||
      !ReadCount(cursor, kMaxOffset, record.offset.value) || !cursor.ReadVarint(time)) {
    return false;
  }
  record.arrival = kNoTime;
  if ((time & binary_file::kArrivalFlag) != 0) {
    time &= ~binary_file::kArrivalFlag;
    if (!ReadCount(cursor, kMaxTimeMs, record.arrival.value)) return false;
  }
  record.is_broker_time = (time & binary_file::kBrokerTimeFlag) != 0;
  time &= ~binary_file::kBrokerTimeFlag;
  record.timestamp.value = static_cast<std::int64_t>(time) - 1;
  return record.timestamp.value <= kMaxTimeMs;
}

}  // namespace

BinaryFileReader::BinaryFileReader(std::unique_ptr<DecodedInput> input)
    : input_(std::move(input)) {}

Result<bool> BinaryFileReader::Next(Record& record) {
  std::string_view message;
  const auto found = NextMessage(record, message);
  if (!found.ok() || !found.value()) return found;
  record.rejection = codec_.DecodeValue(message, std::nullopt, record.event);
  if (record.rejection) {
    record.rejection->message.insert(0, "record " + std::to_string(record_number_) + ": ");
  }
  return true;
}

Result<bool> BinaryFileReader::NextMessage(Record& record, std::string_view& message) {
  if (!is_started_) LETHE_RETURN_IF_ERROR(ReadHeader());
  while (block_records_ == 0 && !is_ended_) {
    const auto found = ReadBlock();
    if (!found.ok()) return found.status();
    if (!found.value()) LETHE_RETURN_IF_ERROR(ReadEnd());
  }
  if (is_ended_) return false;

  wire::Cursor cursor(block_);
  std::uint64_t length = 0;
  std::string_view bytes;
  if (!cursor.ReadVarint(length) || !cursor.ReadBytes(length, bytes)) {
    return Damaged("record " + std::to_string(record_number_ + 1) + " does not fit its block");
  }
  wire::Cursor within(bytes);
  if (!ReadPlace(within, record)) {
    return Damaged("the place of record " + std::to_string(record_number_ + 1) + " is unreadable");
  }
  ++record_number_;
  message = {within.next(), within.remaining()};
  block_.remove_prefix(block_.size() - cursor.remaining());
  --block_records_;
  if (block_records_ == 0 && !block_.empty()) {
    return Damaged("bytes follow behind the last record of the block");
  }
  return true;
}

Status BinaryFileReader::ReadHeader() {
  LETHE_RETURN_IF_ERROR(Require(binary_file::kMagic.size()));
  if (!input_->pending().starts_with(binary_file::kMagic)) {
    return Damaged("not the first bytes of a binary recording");
  }
  LETHE_RETURN_IF_ERROR(Require(binary_file::kHeaderBytes));
  if (!binary_file::ReadHeader(input_->pending().substr(0, binary_file::kHeaderBytes), header_)) {
    return Damaged("the checksum of the header does not match");
  }
  const std::string unreadable = binary_file::DescribeUnreadable(header_);
  if (!unreadable.empty()) return {ErrorCode::kInput, name() + ": " + unreadable};
  input_->Consume(binary_file::kHeaderBytes);
  is_started_ = true;
  return Status::Ok();
}

Result<bool> BinaryFileReader::ReadBlock() {
  input_->Consume(std::exchange(block_bytes_, 0));
  LETHE_RETURN_IF_ERROR(Require(binary_file::kMarkerBytes));
  if (input_->pending().starts_with(binary_file::kFooterMarker)) return false;
  LETHE_RETURN_IF_ERROR(Require(binary_file::kBlockHeaderBytes));
  const std::string_view head = input_->pending().substr(0, binary_file::kBlockHeaderBytes);
  BlockHeader header;
  if (!binary_file::ReadBlockHeader(head, header) || !head.starts_with(binary_file::kBlockMarker)) {
    return Damaged("neither a block nor the footer begins here");
  }
  if (header.records_before != record_number_) {
    return Damaged("the block begins with record " + std::to_string(header.records_before + 1) +
                   "; blocks are lost, doubled or in the wrong order");
  }
  // Blocks without records would allow a file of any length that holds nothing.
  if (header.records == 0 || header.payload_bytes > binary_file::kMaxBlockBytes) {
    return Damaged("the block has no records, or is too large");
  }
  block_bytes_ =
      binary_file::kBlockHeaderBytes + header.payload_bytes + binary_file::kChecksumBytes;
  LETHE_RETURN_IF_ERROR(Require(block_bytes_));
  const char* const payload = input_->pending().data() + binary_file::kBlockHeaderBytes;
  block_ = {payload, header.payload_bytes};
  if (wire::Load<std::uint32_t>(payload + block_.size()) != binary_file::Checksum(block_)) {
    return Damaged("the checksum of the block does not match; it held " +
                   std::to_string(header.records) + " records");
  }
  block_records_ = header.records;
  return true;
}

Status BinaryFileReader::ReadEnd() {
  std::string footer;
  binary_file::AppendFooter(record_number_, footer);
  LETHE_RETURN_IF_ERROR(Require(footer.size()));
  if (!input_->pending().starts_with(footer)) {
    return Damaged("the footer is damaged, or not that of the blocks before it");
  }
  input_->Consume(footer.size());
  if (const Status status = input_->Require(1); !status.ok()) return At(status);
  if (!input_->pending().empty()) return Damaged("bytes follow behind the end of the recording");
  is_ended_ = true;
  return Status::Ok();
}

Status BinaryFileReader::Require(std::size_t count) {
  if (const Status status = input_->Require(count); !status.ok()) return At(status);
  return input_->pending().size() < count ? Truncated() : Status::Ok();
}

Status BinaryFileReader::Damaged(const std::string& what) const {
  return {ErrorCode::kInput, name() + ", byte " + std::to_string(input_->position()) + ", record " +
                                 std::to_string(record_number_ + 1) + ": " + what +
                                 "; the file is damaged, record it or copy it again"};
}

Status BinaryFileReader::Truncated() const {
  const std::int64_t end = input_->position() + static_cast<std::int64_t>(input_->pending().size());
  return {ErrorCode::kInput, name() + ", byte " + std::to_string(end) + ", record " +
                                 std::to_string(record_number_ + 1) +
                                 ": the recording breaks off; the file is truncated"};
}

Status BinaryFileReader::At(const Status& error) const {
  if (error.code() == ErrorCode::kInterrupted) return error;
  return {error.code(), name() + ", record " + std::to_string(record_number_ + 1) + ", byte " +
                            std::to_string(input_->bytes_read()) +
                            " of the file: " + error.message()};
}

}  // namespace lethe
