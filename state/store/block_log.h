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

// An append-only log of entries numbered 0, 1, ..., stored many to a row, because the cost of a
// store is per row. Each commit adds the new entries as a row of their own, a piece. When a block
// is full, one row replaces its pieces. Rows is the codec of a row; docs/formats/state.md has the
// bytes. Threads: not thread-safe, except RangesOf, which reads constants only. Ownership: borrows
// the store for the call only; it owns the entries that are not in a full block of the store yet.
// Failure: an error of Load or Read means that the store is damaged or cannot be read; after one of
// Load the object must not be used.
template <typename Rows>
class BlockLog {
 public:
  using Entry = typename Rows::Entry;
  // Receives a row, borrowed for the call. An error ends Load.
  using Visitor = std::function<Status(const Rows& rows)>;

  // `block`: the number of entries in a full block.
  BlockLog(Family family, std::int64_t block) : family_(family), block_(block) {}

  // Reads all stored rows and visits them in order. Append then continues after the last entry.
  // Call it once, before any other method. kInput: a row is damaged or missing.
  Status Load(const Store& store, const Visitor& visit);

  // Appends an entry. `index` must be the number after that of the last entry.
  void Append(std::int64_t index, const Entry& entry);
  // Blanks an entry in memory, so that no row written from now on has it. Rows in the store are
  // left to the Eraser.
  void Blank(std::int64_t index);
  // Deletes, with the next AddTo, the full blocks whose entries are all before `index`.
  void DropBefore(std::int64_t index);

  // An entry from memory or from its block in the store; the last block read is cached. The entry
  // is valid until the next call of any method. kInput: the store does not have it, or it is
  // damaged.
  Result<Entry> Read(const Store& store, std::int64_t index) const;

  // Adds all changes since the last call to the batch, which the caller must then write.
  void AddTo(WriteBatch& batch);

  // The first entry whose bytes the store may still have, after the drops of the next AddTo.
  std::int64_t dropped() const { return dropped_; }
  // The number after that of the last entry.
  std::int64_t end() const { return open_.end(); }
  // The first entry in memory. All entries before it are in full blocks of the store.
  std::int64_t first() const { return full_.empty() ? open_.first() : full_.front().first(); }
  // Visits the entries in memory, from first() on, in order.
  template <typename Visit>
  void ForEachFromFirst(const Visit& visit) const {
    for (const Rows& block : full_) VisitRows(block, visit);
    VisitRows(open_, visit);
  }

  // The ranges of keys of the blocks that have these entries. Ranges of adjacent blocks are joined.
  std::vector<Store::KeyRange> RangesOf(const std::set<std::int64_t>& indices) const;

 private:
  Rows NewBlock(std::int64_t first) const { return Rows(first, static_cast<std::size_t>(block_)); }
  // The block in memory that has an entry; null if the entry is only in the store.
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
  std::vector<Rows> full_;            // full blocks that the next AddTo stores
  Rows open_ = NewBlock(0);           // the last block, not full
  std::int64_t stored_ = 0;           // entries before this are in the store, in blocks or pieces
  std::vector<std::int64_t> pieces_;  // first indices of the stored pieces of the last block
  std::int64_t dropped_ = 0;          // entries before this are dropped
  mutable std::string last_read_;     // the row of last_block_, cached by Read
  mutable std::int64_t last_block_ = -1;
  std::vector<std::pair<std::int64_t, std::int64_t>> drops_;  // [from, to) for the next AddTo
};

// The scrub of an erasure: the value of a row of either kind with these entries blanked. None: the
// row has none of them, or they are blank already, or the value is not such a row.
std::optional<std::string> Blanked(std::string_view value, const std::set<std::int64_t>& indices);

}  // namespace lethe
