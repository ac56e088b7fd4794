#include "connectors/file/recorded_stream.h"

#include <limits>
#include <utility>

#include "engine/check.h"

namespace lethe {

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
      codec_(max_line_bytes) {}

Result<std::size_t> RecordedStream::Read(std::vector<Record>& batch, std::size_t limit) {
  LETHE_CHECK(limit > 0);
  std::size_t count = 0;
  while (count < limit && failed_.ok()) {
    if (count == batch.size()) batch.emplace_back();
    const auto found = ReadRecord(batch[count]);
    if (!found.ok()) {
      failed_ = found.status();
    } else if (found.value()) {
      ++count;
    } else {
      break;
    }
  }
  if (count == 0 && !failed_.ok()) return failed_;
  return count;
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

Result<bool> RecordedStream::ReadRecord(Record& record) {
  if (lines_ == nullptr && binary_ == nullptr) LETHE_RETURN_IF_ERROR(Start());
  const auto found = binary_ != nullptr ? ReadBinary(record) : ReadLine(record);
  if (!found.ok()) return found;
  if (!found.value()) {
    if (has_records_) return false;
    return Status(ErrorCode::kInput, progress_.name() + " holds no events");
  }
  has_records_ = true;
  LETHE_RETURN_IF_ERROR(Locate(record));
  return true;
}

Result<bool> RecordedStream::ReadLine(Record& record) {
  LineReader::Line line;
  const auto found = lines_->Next(line);
  if (!found.ok() || !found.value()) return found;
  line_number_ = line.number;
  // A line above the limit is above the codec's limit too, which is the same.
  codec_.DecodeLine(line.text, record);
  if (record.rejection) {
    record.rejection->message.insert(0, "line " + std::to_string(line.number) + ": ");
  }
  const bool has_place =
      record.shard != ShardId{} || record.offset != kNoOffset || record.timestamp != kNoTime;
  is_bare_ = is_bare_ && !has_place;
  return true;
}

Result<bool> RecordedStream::ReadBinary(Record& record) {
  const auto found = binary_->Next(record);
  if (!found.ok() || !found.value()) return found;
  line_number_ = static_cast<std::int64_t>(binary_->record_number());
  is_bare_ = binary_->header().bare;
  return true;
}

RecordedStream::Place& RecordedStream::PlaceOf(ShardId shard) {
  if (last_place_ == nullptr || last_shard_ != shard.value) {
    last_place_ = &places_[shard.value];
    last_shard_ = shard.value;
  }
  return *last_place_;
}

Status RecordedStream::Locate(Record& record) {
  Place& place = PlaceOf(record.shard);
  const bool is_given = record.offset != kNoOffset;
  if (!is_given) record.offset.value = place.next;
  if (is_given && record.offset.value <= place.last) {
    return NotIncreasing("offset " + std::to_string(record.offset.value) + " of partition " +
                         std::to_string(record.shard.value) + " comes after offset " +
                         std::to_string(place.last));
  }
  if (record.offset.value == std::numeric_limits<std::int64_t>::max()) {
    return NotIncreasing("no offset is left in partition " + std::to_string(record.shard.value));
  }
  place.next = record.offset.value + 1;
  if (is_given || !record.rejection) place.last = record.offset.value;
  return Status::Ok();
}

Status RecordedStream::NotIncreasing(const std::string& what) const {
  const char* const unit = is_binary() ? ", record " : ", line ";
  return {ErrorCode::kInput, progress_.name() + unit + std::to_string(line_number_) + ": " + what +
                                 "; offsets must increase within a partition"};
}

}  // namespace lethe
