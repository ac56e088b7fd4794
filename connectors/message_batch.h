#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "connectors/binary/event_codec.h"
#include "connectors/json/event_codec.h"
#include "engine/admission/admission.h"
#include "engine/ports/event.h"

namespace lethe {

// One Admission for each shard whose messages may be in a batch.
using Admissions = std::map<ShardId, Admission>;

// A batch of messages that were read together, and the items that a shard processes. A source fills
// it with raw messages, Admit decodes and admits them, and the shard loop takes the items in order.
// Each of the three steps may run in another thread, one after the other. The object is reused for
// many batches, so that its buffers are allocated once.
//
// Not thread-safe. The batch owns its copies and shares ownership of the buffers given to Hold. No
// call fails: a message that cannot be decoded or admitted becomes an item with a rejection.
class MessageBatch {
 public:
  // How the bytes of a message are to be read.
  enum class Form {
    kMessage,       // the value of a Kafka message: JSON or binary, by its first byte
    kLine,          // a line of a recording: a bare event, or an envelope that says its position
    kBinaryRecord,  // a record of a binary recording
    kDecoded,       // an event that needs no decoding
  };

  // A line or JSON message of more than `max_line_bytes` is rejected.
  explicit MessageBatch(std::size_t max_line_bytes = JsonEventCodec::kDefaultMaxBytes)
      : json_(max_line_bytes) {}

  // ---- For the source.

  // Empties the batch. It then takes at most `capacity` messages.
  void Clear(std::size_t capacity);

  // Adds a Kafka message. A dense learn is admitted at once, from the caller's buffer, and its
  // value is not copied. The value of any other message is copied, and so is every key.
  // `is_rerouted` says that the message has the header kRerouteHeader; it matters for deletes only.
  void AddMessage(ShardId shard, const Position& position, bool is_rerouted,
                  const std::optional<std::string_view>& key,
                  const std::optional<std::string_view>& value);
  // Whether a value begins like a learn in its usual form. False is certain for every delete that
  // Lethe writes; true says nothing about the rest of the value.
  static bool BeginsAsLearn(std::string_view value);

  // Adds line or record number `number` of a recording. The bytes are borrowed from a buffer that
  // was given to Hold. The position of a line is read from the line itself, by Admit or Decode.
  void AddRecorded(Form form, std::string_view bytes, std::int64_t number, ShardId shard,
                   const Position& position);
  // Shares ownership of a buffer until the next Clear.
  template <typename Buffer>
  void Hold(const std::shared_ptr<Buffer>& buffer) {
    if (held_.empty() || held_.back().get() != buffer.get()) held_.push_back(buffer);
  }
  std::size_t held_buffers() const { return held_.size(); }

  // Adds a copy of a record that is already decoded.
  void AddDecoded(const Record& record);

  // The number of bytes that were copied into the batch.
  std::size_t copied_bytes() const { return bytes_.size(); }
  // Whether value() returns the value. Dead letters without a payload do not need it.
  void KeepValues(bool keeps) { keeps_values_ = keeps; }

  // Drops every message from i on.
  void Truncate(std::size_t i) { slots_.resize(i); }
  void SetOffset(std::size_t i, Offset offset) { slots_[i].position.offset = offset; }

  // ---- For the pipeline.

  // The admissions that AddMessage and Admit use. Entries may be added between two batches, and
  // must not be removed: the batch keeps a pointer to the entry it used last.
  Admissions& admissions() { return admissions_; }

  // Decodes every message, and admits each one that has an admission for its shard and either needs
  // no position to be identified (it has an id, is a delete, or was rejected) or has a certain one.
  // A learn without an id in a recording has no certain position before BatchSource::Locate.
  void Admit();
  // Admits message i if Admit did not. The position of the message must be certain by now.
  void AdmitNow(std::size_t i, const Admission& admission);
  // Decodes message i into `record` without admitting it. A message that cannot be decoded is a
  // record with a rejection. Must not be called for a message that AddMessage has admitted.
  void Decode(std::size_t i, Record& record);

  std::size_t size() const { return slots_.size(); }
  ShardId shard(std::size_t i) const { return slots_[i].shard; }
  const Position& position(std::size_t i) const { return slots_[i].position; }
  void SetArrival(std::size_t i, TimeMs arrival) { slots_[i].position.arrival = arrival; }
  // The number of the line or record in a recording.
  std::int64_t number(std::size_t i) const { return slots_[i].number; }
  // Whether message i holds no event that could be decoded. Known after Admit or Decode.
  bool is_undecodable(std::size_t i) const { return slots_[i].is_undecodable; }

  bool has_item(std::size_t i) const { return items_.has(i); }
  // The item that the shard processes. Message i must be admitted. Valid until Clear.
  const Item& item(std::size_t i) const { return items_.item(i); }

  // The raw key and value of message i, for dead letters. Valid until Clear.
  std::optional<std::string_view> key(std::size_t i) const { return View(slots_[i].key); }
  std::optional<std::string_view> value(std::size_t i) const {
    return keeps_values_ ? View(slots_[i].value) : std::nullopt;
  }

 private:
  struct Span {
    std::size_t begin = 0;
    std::size_t size = 0;
    bool exists = false;
  };
  struct Slot {
    Form form = Form::kMessage;
    bool is_rerouted = false;
    bool is_decoded = false;  // into records_
    bool is_undecodable = false;
    ShardId shard;
    Position position;
    std::int64_t number = 0;
    Span key, value;            // in bytes_
    std::string_view recorded;  // in a buffer that is held
  };

  std::optional<std::string_view> View(const Span& span) const;
  Span Copy(const std::optional<std::string_view>& bytes);
  const Admission* AdmissionOf(ShardId shard);
  bool ReadLearnView(const Slot& slot, LearnView& view);

  JsonEventCodec json_;
  BinaryEventCodec binary_;
  Admissions admissions_;
  const Admissions::value_type* last_admission_ = nullptr;
  std::string bytes_;
  std::vector<std::shared_ptr<const void>> held_;
  std::vector<Slot> slots_;
  ItemBatch items_;
  std::vector<Record> records_;  // of the messages that are decoded and not yet admitted
  bool keeps_values_ = true;
  bool has_large_ = false;  // a message was so large that its buffers are not kept for reuse
};

}  // namespace lethe
