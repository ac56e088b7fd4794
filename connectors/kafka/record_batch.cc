#include "connectors/kafka/record_batch.h"

#include "connectors/binary/message.h"
#include "connectors/json/canonical.h"

namespace lethe {

namespace {

constexpr std::size_t kLargeMessage = std::size_t{1} << 16;

}  // namespace

bool RecordBatch::BeginsAsLearn(std::string_view value) {
  if (!BinaryEventCodec::IsMessage(value)) return value.starts_with(kCanonicalLearn);
  return value.size() > message::kKindAt &&
         static_cast<std::uint8_t>(value[message::kKindAt]) == message::kLearn;
}

void RecordBatch::Clear() {
  if (has_large_) {
    // Else every place of every batch would one day hold the buffers of the largest message.
    records_ = {};
    bytes_ = {};
    has_large_ = false;
  }
  bytes_.clear();
  messages_.clear();
}

void RecordBatch::Add(const Place& place, const std::optional<std::string_view>& key,
                      const std::optional<std::string_view>& value) {
  const std::size_t before = bytes_.size();
  const std::size_t i = messages_.size();
  Message& message = messages_.emplace_back();
  message.place = place;
  message.key = Keep(key);
  PlainLearn learn;
  message.is_taken = taker_ && value && ReadPlainLearn(*value, key, learn) && taker_(i, learn);
  if (!message.is_taken) message.value = Keep(value);
  has_large_ = has_large_ || bytes_.size() - before > kLargeMessage;
}

bool RecordBatch::ReadPlainLearn(std::string_view value, const std::optional<std::string_view>& key,
                                 PlainLearn& learn) {
  return binary_.ReadPlainLearn(value, key, learn) || json_.ReadPlainLearn(value, key, x_, learn);
}

void RecordBatch::DecodeAll() {
  std::vector<double> x;
  for (std::size_t i = 0; i < count(); ++i) Decode(i, x);
}

Record& RecordBatch::Decode(std::size_t i, std::vector<double>& x) {
  if (records_.size() < count()) records_.resize(count());
  const Message& message = messages_[i];
  Record& record = records_[i];
  record.shard = message.place.shard;
  record.offset = message.place.offset;
  record.timestamp = message.place.timestamp;
  record.arrival = kNoTime;
  if (message.is_taken) {
    record.event.kind = EventKind::kLearn;
    record.rejection.reset();
    record.is_placed = false;
    return record;
  }
  const auto key = View(message.key);
  const auto value = View(message.value);
  record.event.x.swap(x);
  record.rejection = value && BinaryEventCodec::IsMessage(*value)
                         ? binary_.DecodeValue(value, key, record.event)
                         : json_.DecodeValue(value, key, record.event);
  record.is_placed =
      message.place.is_placed && !record.rejection && record.event.kind == EventKind::kDelete;
  return record;
}

std::optional<std::string_view> RecordBatch::View(const Piece& piece) const {
  if (!piece.exists) return std::nullopt;
  return std::string_view(bytes_).substr(piece.at, piece.size);
}

RecordBatch::Piece RecordBatch::Keep(const std::optional<std::string_view>& bytes) {
  if (!bytes) return {};
  const Piece piece{bytes_.size(), bytes->size(), true};
  bytes_.append(*bytes);
  return piece;
}

}  // namespace lethe
