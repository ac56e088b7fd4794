#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ports/state.h"

namespace lethe {

// Consecutive events, and the row that holds them on disk: in columns, because most offsets follow
// from the one before and the names are then all that takes room, 15 bytes an event.
class EventBlock {
 public:
  using Entry = LearnedEvent;

  EventBlock() = default;
  // With room for so many.
  explicit EventBlock(std::int64_t first, std::size_t most = 0);

  std::int64_t first() const { return first_; }
  std::int64_t end() const { return first_ + static_cast<std::int64_t>(ids_.size()); }
  Entry At(std::int64_t index) const;

  // The index of the event is its place here.
  void Append(const Entry& event);
  // Overwrites the names with zeros; where an event stood is in its receipt. False if it was blank
  // before.
  bool Blank(std::int64_t index);

  // The row of all.
  std::string Take() && { return Encode(first(), end()); }
  std::string Encode(std::int64_t from, std::int64_t to) const;
  static bool Decode(std::string_view value, EventBlock& rows);
  // One event of a row, which is much less work.
  static std::optional<Entry> DecodeOne(std::string_view value, std::int64_t index);

  static bool IsBlank(const Entry& event) { return event.id == KeyHash{}; }

 private:
  // No name of an id is all zeros, and neither is that of a subject: zeros are no subject.
  std::size_t Place(std::int64_t index) const { return static_cast<std::size_t>(index - first_); }
  struct Layout;

  std::int64_t first_ = 0;
  std::vector<std::int64_t> offsets_;
  std::vector<KeyHash> ids_;
  std::vector<KeyHash> subjects_;
};

}  // namespace lethe
