#include "connectors/file/recorded_stream.h"

#include <limits>
#include <utility>

#include "engine/check.h"

namespace lethe {

Result<std::unique_ptr<RecordedStream>> RecordedStream::Open(const std::string& path,
                                                             std::size_t max_line_bytes) {
  auto lines = LineReader::Open(path, max_line_bytes);
  if (!lines.ok()) return lines.status();
  return std::unique_ptr<RecordedStream>(
      new RecordedStream(std::move(lines).value(), max_line_bytes));
}

RecordedStream::RecordedStream(std::unique_ptr<LineReader> lines, std::size_t max_line_bytes)
    : lines_(std::move(lines)), codec_(max_line_bytes) {}

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

Result<bool> RecordedStream::ReadRecord(Record& record) {
  LineReader::Line line;
  const auto found = lines_->Next(line);
  if (!found.ok()) return found.status();
  if (!found.value()) {
    if (has_records_) return false;
    return Status(ErrorCode::kInput, lines_->name() + " holds no events");
  }
  has_records_ = true;
  line_number_ = line.number;
  // A line above the limit is above the codec's limit too, which is the same.
  codec_.DecodeLine(line.text, record);
  if (record.rejection) {
    record.rejection->message.insert(0, "line " + std::to_string(line.number) + ": ");
  }
  LETHE_RETURN_IF_ERROR(Locate(record));
  return true;
}

Status RecordedStream::Locate(Record& record) {
  Place& place = places_[record.shard.value];
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
  return {ErrorCode::kInput, lines_->name() + ", line " + std::to_string(line_number_) + ": " +
                                 what + "; offsets must increase within a partition"};
}

}  // namespace lethe
