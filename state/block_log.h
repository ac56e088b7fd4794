#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "state/store/store.h"

namespace lethe {

// Entries numbered 0, 1, ..., many to a row, because rows are dear and bytes are cheap. What a
// commit adds is a row of its own, a piece; when a block is full, its pieces are replaced by one
// row. docs/formats/state.md has the bytes. Not thread-safe.
class BlockLog {
 public:
  using Visitor = std::function<Status(std::int64_t index, std::string_view entry)>;

  BlockLog(Family family, std::int64_t block) : family_(family), block_(block) {}

  // Visits every entry that is stored, in order, and goes on after the last.
  Status Load(const Store& store, const Visitor& visit);

  // The entry after the last.
  void Append(std::int64_t index, std::string_view entry);
  // Overwrites an entry with zeros, wherever it is still to be written. What is written already is
  // the eraser's.
  void Blank(std::int64_t index);
  // Rows whose entries are all before `index` leave.
  void DropBefore(std::int64_t index);

  // kInput: it is not there.
  Result<std::string> Read(const Store& store, std::int64_t index) const;

  // Adds what has changed since the last call.
  void AddTo(WriteBatch& batch);

  // The value of a row with these entries overwritten by zeros; none if it has none of them.
  static std::optional<std::string> Blanked(std::string_view value,
                                            const std::set<std::int64_t>& indices);
  // The keys between which rows with these entries lie, by blocks; neighbours are joined.
  std::vector<Store::KeyRange> RangesOf(const std::set<std::int64_t>& indices) const;
  // Whether an entry was overwritten by zeros.
  static bool IsBlank(std::string_view entry) {
    return entry.find_first_not_of('\0') == std::string_view::npos;
  }

 private:
  struct Run {  // consecutive entries
    std::int64_t first = 0;
    std::vector<std::uint32_t> ends;
    std::string bytes;

    std::int64_t end() const { return first + static_cast<std::int64_t>(ends.size()); }
    std::string_view entry(std::int64_t index) const;
    void Append(std::string_view entry);
    void DropBefore(std::int64_t index);
  };

  static std::string Encode(const Run& run, std::int64_t from, std::int64_t to);
  static bool Decode(std::string_view value, Run& run);
  static Status Damaged(Family family, std::string_view key);
  std::int64_t BlockOf(std::int64_t index) const { return index / block_ * block_; }

  Family family_;
  std::int64_t block_;
  Run open_;                          // from the beginning of the last block on
  std::int64_t stored_ = 0;           // entries before this are in the store
  std::vector<std::int64_t> pieces_;  // rows of the last block in the store, by first index
  std::int64_t dropped_ = 0;          // rows before this are gone
  mutable Run last_read_;             // a full block
  std::vector<std::pair<std::int64_t, std::int64_t>> drops_;
};

}  // namespace lethe
