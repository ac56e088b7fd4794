#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ports/state.h"

namespace lethe {

// A block of consecutive learned events, and the codec of the row that stores it. The row is in
// columns: an offset is usually one more than the offset before it, so only the exceptions are
// stored, and an event takes about 15 bytes, which are its id and subject hashes. Not thread-safe.
// A plain value that borrows nothing. Only Decode and DecodeOne can fail.
class EventBlock {
 public:
  using Entry = LearnedEvent;

  EventBlock() = default;
  // An empty block whose first event will have the index `first`, with room for `most` events.
  explicit EventBlock(std::int64_t first, std::size_t most = 0);

  std::int64_t first() const { return first_; }
  std::int64_t end() const { return first_ + static_cast<std::int64_t>(ids_.size()); }
  // `index` must be in [first, end).
  Entry At(std::int64_t index) const;

  // The event becomes number end(); its own `index` is ignored.
  void Append(const Entry& event);
  // Overwrites the hashes of an event with zeros. Its offset stays, since the receipt of the
  // deletion has it too. Returns false if the event was blank already.
  bool Blank(std::int64_t index);

  // The row of all events. The block must not be used afterwards.
  std::string Take() && { return Encode(first(), end()); }
  // The row of the events [from, to), which must not be empty.
  std::string Encode(std::int64_t from, std::int64_t to) const;
  // Replaces `rows` by the events of a row. Returns false if the row is damaged or of another kind;
  // `rows` is then unspecified.
  static bool Decode(std::string_view value, EventBlock& rows);
  // One event of a row, without decoding the others. None: the row is damaged or does not have it.
  static std::optional<Entry> DecodeOne(std::string_view value, std::int64_t index);

  static bool IsBlank(const Entry& event) { return event.id == KeyHash{}; }

 private:
  // The hash of an id or of a subject is never zero. In the columns, a zero id is a blank event,
  // and a zero subject an event without one.
  std::size_t Place(std::int64_t index) const { return static_cast<std::size_t>(index - first_); }
  struct Layout;

  std::int64_t first_ = 0;
  std::vector<std::int64_t> offsets_;
  std::vector<KeyHash> ids_;
  std::vector<KeyHash> subjects_;
};

}  // namespace lethe
