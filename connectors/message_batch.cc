#include "connectors/message_batch.h"

#include <utility>

#include "connectors/binary/message.h"
#include "connectors/json/canonical.h"
#include "engine/base/check.h"

namespace lethe {
namespace {

// Buffers grown by a message above this size are freed by Clear.
constexpr std::size_t kLargeMessage = std::size_t{1} << 16;

}  // namespace

bool MessageBatch::BeginsAsLearn(std::string_view value) {
  if (!BinaryEventCodec::IsMessage(value)) return value.starts_with(kCanonicalLearn);
  return value.size() > message::kKindAt &&
         static_cast<std::uint8_t>(value[message::kKindAt]) == message::kLearn;
}

void MessageBatch::Clear(std::size_t capacity) {
  if (has_large_) {
    // Otherwise every slot of every batch would in time hold buffers of the largest message's size.
    records_ = {};
    bytes_ = {};
    has_large_ = false;
  }
  bytes_.clear();
  held_.clear();
  slots_.clear();
  items_.Clear(capacity);
}

const Admission* MessageBatch::AdmissionOf(ShardId shard) {
  // Most messages are for the same shard as the message before.
  if (last_admission_ != nullptr && last_admission_->first == shard) {
    return &last_admission_->second;
  }
  const auto found = admissions_.find(shard);
  if (found == admissions_.end()) return nullptr;
  last_admission_ = &*found;
  return &found->second;
}

void MessageBatch::AddMessage(ShardId shard, const Position& position, bool is_rerouted,
                              const std::optional<std::string_view>& key,
                              const std::optional<std::string_view>& value) {
  const std::size_t i = slots_.size();
  Slot& slot = slots_.emplace_back();
  slot.is_rerouted = is_rerouted;
  slot.shard = shard;
  slot.position = position;
  const std::size_t before = bytes_.size();
  slot.key = Copy(key);
  const Admission* const admission = AdmissionOf(shard);
  LearnView view;
  const bool is_view = admission != nullptr && value &&
                       (binary_.ReadLearnView(*value, key, view) ||
                        json_.ReadLearnView(*value, key, items_.buffer(), view));
  if (!is_view || !items_.AdmitView(*admission, i, view)) slot.value = Copy(value);
  has_large_ = has_large_ || bytes_.size() - before > kLargeMessage;
}

void MessageBatch::AddRecorded(Form form, std::string_view bytes, std::int64_t number,
                               ShardId shard, const Position& position) {
  Slot& slot = slots_.emplace_back();
  slot.form = form;
  slot.shard = shard;
  slot.position = position;
  slot.number = number;
  slot.recorded = bytes;
}

void MessageBatch::AddDecoded(const Record& record) {
  Slot& slot = slots_.emplace_back();
  slot.form = Form::kDecoded;
  slot.is_decoded = true;
  slot.shard = record.shard;
  slot.position = record.position();
  if (records_.size() < slots_.size()) records_.resize(slots_.size());
  records_[slots_.size() - 1] = record;
}

bool MessageBatch::ReadLearnView(const Slot& slot, LearnView& view) {
  if (slot.form == Form::kBinaryRecord) {
    return binary_.ReadLearnView(slot.recorded, std::nullopt, view);
  }
  return slot.form == Form::kLine &&
         json_.ReadLearnView(slot.recorded, std::nullopt, items_.buffer(), view);
}

void MessageBatch::Admit() {
  if (records_.size() < slots_.size()) records_.resize(slots_.size());
  LearnView view;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (items_.has(i)) continue;
    Slot& slot = slots_[i];
    // A learn that can be read in place has no envelope, so the shard of its slot is already right.
    if (!slot.is_decoded && ReadLearnView(slot, view)) {
      const Admission* const admission = AdmissionOf(slot.shard);
      if (admission != nullptr && items_.AdmitView(*admission, i, view)) continue;
    }
    Record& record = records_[i];
    if (!slot.is_decoded) {
      // The features are decoded into the one shared buffer, which stays in the processor's cache.
      record.event.x.swap(items_.buffer());
      Decode(i, record);
      slot.is_decoded = true;
    }
    const Admission* const admission = AdmissionOf(slot.shard);
    // Whether the item can be made without knowing the offset.
    const bool is_named = record.rejection || record.event.id ||
                          record.event.kind == EventKind::kDelete || slot.form == Form::kMessage;
    if (admission != nullptr && is_named) items_.Admit(*admission, i, record);
  }
}

void MessageBatch::AdmitNow(std::size_t i, const Admission& admission) {
  if (items_.has(i)) return;
  LETHE_CHECK(slots_[i].is_decoded);
  records_[i].offset = slots_[i].position.offset;
  items_.Admit(admission, i, records_[i]);
}

void MessageBatch::Decode(std::size_t i, Record& record) {
  Slot& slot = slots_[i];
  LETHE_CHECK(!items_.has(i) && slot.form != Form::kDecoded);
  if (slot.form == Form::kLine) {
    // The codec has the same size limit as the line reader, so it rejects a line that was cut
    // there.
    json_.DecodeLine(slot.recorded, record);
    slot.shard = record.shard;
    slot.position = record.position();
  } else {
    record.shard = slot.shard;
    record.offset = slot.position.offset;
    record.timestamp = slot.position.timestamp;
    record.arrival = slot.position.arrival;
    record.is_broker_time = slot.position.is_broker_time;
    if (slot.form == Form::kBinaryRecord) {
      record.rejection = binary_.DecodeValue(slot.recorded, std::nullopt, record.event);
    } else {
      const auto value = View(slot.value);
      record.rejection = value && BinaryEventCodec::IsMessage(*value)
                             ? binary_.DecodeValue(value, View(slot.key), record.event)
                             : json_.DecodeValue(value, View(slot.key), record.event);
    }
    record.is_rerouted =
        slot.is_rerouted && !record.rejection && record.event.kind == EventKind::kDelete;
  }
  slot.is_undecodable = record.rejection.has_value();
  if (record.rejection && slot.number > 0) {
    record.rejection->message.insert(
        0, (slot.form == Form::kLine ? "line " : "record ") + std::to_string(slot.number) + ": ");
  }
}

std::optional<std::string_view> MessageBatch::View(const Span& span) const {
  if (!span.exists) return std::nullopt;
  return std::string_view(bytes_).substr(span.begin, span.size);
}

MessageBatch::Span MessageBatch::Copy(const std::optional<std::string_view>& bytes) {
  if (!bytes) return {};
  const Span span{bytes_.size(), bytes->size(), true};
  bytes_.append(*bytes);
  return span;
}

}  // namespace lethe
