#include "connectors/file/recorded_stream.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/check.h"

namespace lethe {
namespace {

// Limits the memory of a batch, whatever the length of its lines: a batch ends when it holds so
// many buffers of DecodedInput.
constexpr std::size_t kMaxHeldBuffers = 3;

}  // namespace

Result<std::unique_ptr<RecordedStream>> RecordedStream::Open(const std::string& path,
                                                             std::size_t max_line_bytes) {
  auto input = DecodedInput::Open(path);
  if (!input.ok()) return input.status();
  return std::unique_ptr<RecordedStream>(
      new RecordedStream(std::move(input).value(), max_line_bytes));
}

RecordedStream::RecordedStream(std::unique_ptr<DecodedInput> input, std::size_t max_line_bytes)
    : input_(std::move(input)),
      progress_(*input_),
      max_line_bytes_(max_line_bytes),
      batch_(max_line_bytes) {}

Result<bool> RecordedStream::Read(MessageBatch& batch) {
  batch.Clear(batch_size_);
  const bool is_first = records_read_ == 0;
  while (batch.size() < batch_size_ && batch.held_buffers() < kMaxHeldBuffers && failed_.ok()) {
    const auto found = ReadOne(batch);
    if (!found.ok()) failed_ = found.status();
    if (!found.ok() || !found.value()) break;
  }
  if (batch.size() == 0 && !failed_.ok()) return failed_;
  if (is_first) expected_ = ExpectedRecords();
  return batch.size() > 0;
}

Result<std::size_t> RecordedStream::ReadRecords(std::vector<Record>& records, std::size_t limit) {
  LETHE_CHECK(limit > 0);
  batch_size_ = limit;
  const auto found = Read(batch_);
  if (!found.ok()) return found.status();
  if (records.size() < batch_.size()) records.resize(batch_.size());
  for (std::size_t i = 0; i < batch_.size(); ++i) batch_.Decode(i, records[i]);
  LETHE_RETURN_IF_ERROR(Locate(batch_));
  for (std::size_t i = 0; i < batch_.size(); ++i) records[i].offset = batch_.position(i).offset;
  return batch_.size();
}

Status RecordedStream::Start() {
  using binary_file::Beginning;
  Beginning beginning = Beginning::kUnknown;
  while ((beginning = binary_file::Recognise(input_->pending(), input_->at_end())) ==
         Beginning::kUnknown) {
    if (const Status status = input_->Fill(); !status.ok()) return AtBeginning(status);
  }
  if (beginning == Beginning::kOther) {
    lines_ = std::make_unique<LineReader>(std::move(input_), max_line_bytes_);
  } else {
    binary_ = std::make_unique<BinaryFileReader>(std::move(input_));
  }
  return Status::Ok();
}

Status RecordedStream::AtBeginning(const Status& error) const {
  if (error.code() == ErrorCode::kInterrupted) return error;
  return {error.code(), progress_.name() + ", byte " + std::to_string(bytes_read()) +
                            " of the file: " + error.message()};
}

Result<bool> RecordedStream::ReadOne(MessageBatch& batch) {
  if (lines_ == nullptr && binary_ == nullptr) LETHE_RETURN_IF_ERROR(Start());
  const Result<bool> found = is_binary() ? ReadBinary(batch) : ReadLine(batch);
  if (found.ok() && found.value()) {
    ++records_read_;
    batch.Hold(progress_.holder());
    return true;
  }
  if (!found.ok() || records_read_ > 0) return found;
  return Status(ErrorCode::kInput, progress_.name() + " holds no events");
}

std::int64_t RecordedStream::ExpectedRecords() const {
  // Of a compressed file, more bytes were read than belong to these records, so the estimate is a
  // little too low.
  const std::int64_t used =
      std::min(bytes_read(), binary_ ? binary_->position() : progress_.position());
  if (!bytes_total() || used <= 0) return 0;
  return static_cast<std::int64_t>(static_cast<double>(*bytes_total()) / static_cast<double>(used) *
                                   static_cast<double>(records_read_));
}

Result<bool> RecordedStream::ReadBinary(MessageBatch& batch) {
  std::string_view bytes;
  auto found = binary_->NextMessage(place_, bytes);
  if (found.ok() && found.value()) {
    batch.AddRecorded(MessageBatch::Form::kBinaryRecord, bytes,
                      static_cast<std::int64_t>(binary_->record_number()), place_.shard,
                      place_.position());
  }
  return found;
}

Result<bool> RecordedStream::ReadLine(MessageBatch& batch) {
  LineReader::Line line;
  auto found = lines_->Next(line);
  if (found.ok() && found.value()) {
    batch.AddRecorded(MessageBatch::Form::kLine, line.text, line.number, ShardId{}, {kNoOffset});
  }
  return found;
}

Status RecordedStream::Locate(MessageBatch& batch) {
  for (std::size_t i = 0; i < batch.size() && misplaced_.ok(); ++i) {
    line_number_ = batch.number(i);
    const Position& position = batch.position(i);
    const bool has_place = batch.shard(i) != ShardId{} || position.offset != kNoOffset ||
                           position.timestamp != kNoTime;
    is_bare_ = is_binary() ? binary_->header().bare : is_bare_ && !has_place;
    misplaced_ = LocateOne(batch, i);
    if (!misplaced_.ok() && i > 0) {
      batch.Truncate(i);
      return Status::Ok();
    }
  }
  return misplaced_;
}

RecordedStream::Shard& RecordedStream::ShardOf(ShardId id) {
  if (last_shard_ == nullptr || last_id_ != id.value) {
    last_shard_ = &shards_[id.value];
    last_id_ = id.value;
  }
  return *last_shard_;
}

// An unreadable line that states no offset advances `next` but not `last`, so that a later record
// may state the same offset.
Status RecordedStream::LocateOne(MessageBatch& batch, std::size_t i) {
  const ShardId id = batch.shard(i);
  Shard& shard = ShardOf(id);
  const bool is_given = batch.position(i).offset != kNoOffset;
  const std::int64_t offset = is_given ? batch.position(i).offset.value : shard.next;
  if (is_given && offset <= shard.last) {
    return NotIncreasing("offset " + std::to_string(offset) + " of partition " +
                         std::to_string(id.value) + " comes after offset " +
                         std::to_string(shard.last));
  }
  if (offset == std::numeric_limits<std::int64_t>::max()) {
    return NotIncreasing("no offset is left in partition " + std::to_string(id.value));
  }
  batch.SetOffset(i, {offset});
  shard.next = offset + 1;
  if (is_given || !batch.is_undecodable(i)) shard.last = offset;
  return Status::Ok();
}

Status RecordedStream::NotIncreasing(const std::string& what) const {
  const char* const unit = is_binary() ? ", record " : ", line ";
  return {ErrorCode::kInput, progress_.name() + unit + std::to_string(line_number_) + ": " + what +
                                 "; offsets must increase within a partition"};
}

}  // namespace lethe
