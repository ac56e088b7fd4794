#include "connectors/file/recorded_stream.h"

#include <algorithm>
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
      raw_(std::make_unique<Raw>()) {}

Result<std::size_t> RecordedStream::Read(std::vector<Record>& batch, std::size_t limit) {
  const auto count = ReadRaw(*raw_, limit);
  if (!count.ok()) return count;
  if (batch.size() < raw_->count()) batch.resize(raw_->count());
  for (std::size_t i = 0; i < raw_->count(); ++i) Decode(*raw_, i, batch[i]);
  return Place(*raw_, batch);
}

Result<std::size_t> RecordedStream::ReadRaw(Raw& raw, std::size_t limit) {
  LETHE_CHECK(limit > 0);
  raw.pieces_.clear();
  raw.held_.clear();
  while (raw.count() < limit && raw.held_.size() < Raw::kMaxHeld && failed_.ok()) {
    const auto found = ReadPiece(raw);
    if (!found.ok()) failed_ = found.status();
    if (!found.ok() || !found.value()) break;
  }
  if (raw.count() == 0 && !failed_.ok()) return failed_;
  return raw.count();
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

Result<bool> RecordedStream::ReadPiece(Raw& raw) {
  if (lines_ == nullptr && binary_ == nullptr) LETHE_RETURN_IF_ERROR(Start());
  raw.is_binary_ = is_binary();
  if (!raw.json_ && !is_binary()) raw.json_ = std::make_unique<JsonEventCodec>(max_line_bytes_);
  Piece& piece = raw.pieces_.emplace_back();
  const Result<bool> found = is_binary() ? ReadMessage(piece) : ReadLine(piece);
  if (found.ok() && found.value()) {
    ++records_read_;
    if (raw.held_.empty() || raw.held_.back() != progress_.holder()) {
      raw.held_.push_back(progress_.holder());
    }
    return true;
  }
  raw.pieces_.pop_back();
  if (!found.ok() || records_read_ > 0) return found;
  return Status(ErrorCode::kInput, progress_.name() + " holds no events");
}

std::int64_t RecordedStream::ExpectedRecords() const {
  // Of a compressed file more was read than used; then it is a little too few.
  const std::int64_t used =
      std::min(bytes_read(), binary_ ? binary_->position() : progress_.position());
  if (!bytes_total() || used <= 0) return 0;
  return static_cast<std::int64_t>(static_cast<double>(*bytes_total()) / static_cast<double>(used) *
                                   static_cast<double>(records_read_));
}

Result<bool> RecordedStream::ReadMessage(Piece& piece) {
  auto found = binary_->NextMessage(place_, piece.bytes);
  piece.number = static_cast<std::int64_t>(binary_->record_number());
  piece.shard = place_.shard;
  piece.offset = place_.offset;
  piece.timestamp = place_.timestamp;
  piece.arrival = place_.arrival;
  return found;
}

Result<bool> RecordedStream::ReadLine(Piece& piece) {
  LineReader::Line line;
  auto found = lines_->Next(line);
  piece.number = line.number;
  piece.bytes = line.text;
  piece.offset = kNoOffset;
  piece.timestamp = kNoTime;
  piece.arrival = kNoTime;
  return found;
}

bool RecordedStream::ReadPlainLearn(const Raw& raw, std::size_t i, Record& record,
                                    std::vector<double>& x, PlainLearn& learn) {
  const Piece& piece = raw.pieces_[i];
  const bool is_plain = raw.is_binary_
                            ? raw.binary_.ReadPlainLearn(piece.bytes, std::nullopt, learn)
                            : raw.json_->ReadPlainLearn(piece.bytes, std::nullopt, x, learn);
  if (!is_plain) return false;
  piece.PutPlace(record);
  record.event.kind = EventKind::kLearn;
  record.rejection.reset();
  return true;
}

void RecordedStream::Decode(Raw& raw, std::size_t i, Record& record) {
  const Piece& piece = raw.pieces_[i];
  if (raw.is_binary_) {
    piece.PutPlace(record);
    record.rejection = raw.binary_.DecodeValue(piece.bytes, std::nullopt, record.event);
  } else {
    // A line above the limit is above the codec's limit too, which is the same.
    raw.json_->DecodeLine(piece.bytes, record);
  }
  if (record.rejection) {
    record.rejection->message.insert(
        0, (raw.is_binary_ ? "record " : "line ") + std::to_string(piece.number) + ": ");
  }
}

Result<std::size_t> RecordedStream::Place(const Raw& raw, std::vector<Record>& batch) {
  for (std::size_t i = 0; i < raw.count() && misplaced_.ok(); ++i) {
    Record& record = batch[i];
    line_number_ = raw.pieces_[i].number;
    const bool has_place =
        record.shard != ShardId{} || record.offset != kNoOffset || record.timestamp != kNoTime;
    is_bare_ = is_binary() ? binary_->header().bare : is_bare_ && !has_place;
    misplaced_ = Locate(record);
    if (!misplaced_.ok() && i > 0) return i;
  }
  if (!misplaced_.ok()) return misplaced_;
  return raw.count();
}

RecordedStream::Shard& RecordedStream::ShardOf(ShardId id) {
  if (last_shard_ == nullptr || last_id_ != id.value) {
    last_shard_ = &shards_[id.value];
    last_id_ = id.value;
  }
  return *last_shard_;
}

Status RecordedStream::Locate(Record& record) {
  Shard& place = ShardOf(record.shard);
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
