#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "state/format/byte_block.h"
#include "state/format/event_block.h"
#include "state/store/store.h"

namespace lethe {

// Entries numbered 0, 1, ..., many to a row, because rows are dear and bytes are cheap. What a
// commit adds is a row of its own, a piece; when a block is full, its pieces are replaced by one
// row. Rows says what an entry is and how a row holds many; docs/formats/state.md has the bytes.
// Not thread-safe.
template <typename Rows>
class BlockLog {
 public:
  using Entry = typename Rows::Entry;
  using Visitor = std::function<Status(const Rows& rows)>;

  // `block`: the number of entries in a full block.
  BlockLog(Family family, std::int64_t block) : family_(family), block_(block) {}

  // Visits all that is stored, row by row in order, and goes on after the last.
  Status Load(const Store& store, const Visitor& visit);

  // The entry after the last.
  void Append(std::int64_t index, const Entry& entry);
  // Blanks an entry wherever it is still to be written. What is written already is the eraser's.
  void Blank(std::int64_t index);
  // Rows whose entries are all before `index` leave.
  void DropBefore(std::int64_t index);

  // Valid until the next call of anything. kInput: it is not there.
  Result<Entry> Read(const Store& store, std::int64_t index) const;

  // Adds what has changed since the last call.
  void AddTo(WriteBatch& batch);

  // What is before is stored, in blocks.
  std::int64_t first() const { return full_.empty() ? open_.first() : full_.front().first(); }
  // From there on, in order.
  template <typename Visit>
  void ForEachFromFirst(const Visit& visit) const {
    for (const Rows& block : full_) VisitRows(block, visit);
    VisitRows(open_, visit);
  }

  // The keys between which rows with these entries lie, by blocks; neighbours are joined.
  std::vector<Store::KeyRange> RangesOf(const std::set<std::int64_t>& indices) const;

 private:
  Rows NewBlock(std::int64_t first) const { return Rows(first, static_cast<std::size_t>(block_)); }
  // The block that has an entry which is not stored in a block yet, or nullptr.
  Rows* Unstored(std::int64_t index);
  const Rows* Unstored(std::int64_t index) const {
    return const_cast<BlockLog*>(this)->Unstored(index);
  }
  template <typename Visit>
  static void VisitRows(const Rows& rows, const Visit& visit) {
    for (std::int64_t i = rows.first(); i < rows.end(); ++i) visit(i, rows.At(i));
  }
  void Add(const Entry& entry);
  static Status Damaged(Family family, std::string_view key);
  std::int64_t BlockOf(std::int64_t index) const { return index / block_ * block_; }

  Family family_;
  std::int64_t block_;
  std::vector<Rows> full_;            // blocks that are to be stored
  Rows open_ = NewBlock(0);           // the last block
  std::int64_t stored_ = 0;           // entries before this are in the store
  std::vector<std::int64_t> pieces_;  // rows of the last block in the store, by first index
  std::int64_t dropped_ = 0;          // rows before this are gone
  mutable std::string last_read_;     // the row of a full block
  mutable std::int64_t last_block_ = -1;
  std::vector<std::pair<std::int64_t, std::int64_t>> drops_;
};

// The value of a row with these entries blanked; none if it has none of them.
std::optional<std::string> Blanked(std::string_view value, const std::set<std::int64_t>& indices);

}  // namespace lethe
