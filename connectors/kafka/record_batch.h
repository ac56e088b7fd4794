#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "connectors/binary/event_codec.h"
#include "connectors/json/event_codec.h"
#include "engine/event.h"

namespace lethe {

// Messages of one partition that were taken together: as they came, and, once they are decoded,
// the records they hold.
class RecordBatch {
 public:
  // So many that what is done once for all of them costs little.
  static constexpr std::size_t kMaxRecords = 256;
  // Also ends a batch, so that a few batches of large messages do not fill the memory.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  // Of a message, besides its bytes.
  struct Place {
    ShardId shard;
    Offset offset;
    TimeMs timestamp = kNoTime;
    bool is_placed = false;  // if it is a delete, it was sent to this partition on purpose
  };

  // Whether a value begins as most learns do. A delete that Lethe has written never does.
  static bool BeginsAsLearn(std::string_view value);

  // Whoever takes learns as most are while they are read, so that they need not be copied. Returns
  // false for one that is to be decoded. Of one that was taken, record i has only the place, and
  // the batch no value.
  using PlainTaker = std::function<bool(std::size_t i, const PlainLearn& learn)>;
  void GivePlainLearnsTo(PlainTaker taker) { taker_ = std::move(taker); }

  // For whoever reads: empties it for reuse; then one message after another.
  void Clear();
  void Add(const Place& place, const std::optional<std::string_view>& key,
           const std::optional<std::string_view>& value);
  bool IsFull() const { return count() >= kMaxRecords || bytes_.size() >= kMaxBytes; }
  // Whether value() gives any.
  void KeepValues(bool keeps) { keeps_values_ = keeps; }

  std::size_t count() const { return messages_.size(); }
  // Behind the last one.
  Offset next() const { return {messages_.back().place.offset.value + 1}; }

  // Makes record i from its message, in any thread. Its features are in the buffer `x`, which it
  // gets for its own.
  Record& Decode(std::size_t i, std::vector<double>& x);
  void DecodeAll();
  const Record& record(std::size_t i) const { return records_[i]; }
  Record& record(std::size_t i) { return records_[i]; }

  // The raw key and value of record i, for dead letters; valid as long as the batch is.
  std::optional<std::string_view> key(std::size_t i) const { return View(messages_[i].key); }
  std::optional<std::string_view> value(std::size_t i) const {
    return keeps_values_ ? View(messages_[i].value) : std::nullopt;
  }

 private:
  struct Piece {
    std::size_t at = 0;
    std::size_t size = 0;
    bool exists = false;
  };
  struct Message {
    Place place;
    Piece key, value;
    bool is_taken = false;
  };

  std::optional<std::string_view> View(const Piece& piece) const;
  bool ReadPlainLearn(std::string_view value, const std::optional<std::string_view>& key,
                      PlainLearn& learn);
  Piece Keep(const std::optional<std::string_view>& bytes);

  PlainTaker taker_;
  std::vector<double> x_;  // what it is given, if that had to be decoded
  std::string bytes_;
  std::vector<Message> messages_;
  std::vector<Record> records_;  // the first count() are valid, the buffers of the rest are reused
  bool keeps_values_ = true;
  bool has_large_ = false;  // a message whose buffers are too large to keep for ever
  JsonEventCodec json_;
  BinaryEventCodec binary_;
};

}  // namespace lethe
