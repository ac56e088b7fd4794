#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/ports/payloads.h"
#include "state/format/number_form.h"

namespace lethe {

// Payloads in memory, in order of index. A block holds up to 256 rows side by side. Dense features
// take four bytes a number if all rows of the block fit (see NumberForm). A block never grows
// beyond its reserved memory, so that no copy of a row stays in freed memory, and rows that leave
// are overwritten. Not thread-safe; const methods may run at the same time. It owns its memory. No
// call fails. Blocks that a visitor receives are valid during the visit; after PinInMemory, until
// the next change.
class MemoryPayloads final : public Payloads {
 public:
  void Add(EventIndex index, const Example& example) override;
  void Remove(EventIndex index) override;
  void DropBefore(EventIndex index) override;
  void ForEachIn(EventIndex from, EventIndex end, const Visitor& visit) const override;
  void ForEachBlock(const BlockVisitor& visit) const override;
  void PinInMemory() override;
  std::int64_t count() const override { return count_; }
  std::int64_t bytes() const override { return bytes_; }

 private:
  // Rows [first, indices.size()) are retained; the rows before them were dropped and wiped. The
  // vectors keep the capacity that the constructor reserved.
  struct Block {
    Block(NumberForm form, std::size_t values_of_a_row);

    std::size_t size() const { return indices.size() - first; }
    std::size_t begin(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
    std::size_t values(std::size_t row) const { return ends[row] - begin(row); }
    // The positions of hashed features; empty for dense ones.
    std::span<const std::uint32_t> Places(std::size_t row) const;
    bool HasRoomFor(std::size_t rows, std::size_t values) const;
    // Needs HasRoomFor. Returns false if a number does not fit the form; the block is then
    // unchanged.
    bool Append(EventIndex index, double y, double w, std::span<const double> x,
                std::span<const std::uint32_t> at);
    // Adds all rows of a block of the same form from which no row was dropped. Needs HasRoomFor.
    void Append(const Block& other);
    void Read(std::size_t from, std::size_t count, double* to) const;  // numbers, as doubles
    void Widen();                                                      // to eight bytes a number
    // Removes a row; the rows behind it move up.
    void Erase(std::size_t row);
    // Wipes the first retained row, in constant time: no row moves.
    void DropFirst();

    NumberForm form;
    std::size_t first = 0;
    std::vector<EventIndex> indices;
    std::vector<double> y;
    std::vector<double> w;               // importance weights
    std::vector<std::size_t> ends;       // where each row ends, in numbers
    std::vector<double> x;               // the numbers, if form is kFloat64
    std::vector<std::uint32_t> short_x;  // or else the numbers, in four bytes each
    std::vector<std::uint32_t> at;       // positions of hashed features, parallel to x
  };

  static std::int64_t BytesOf(const Block& block, std::size_t row);
  // Joins block i with the next block if both together fill at most half of one.
  void Join(std::size_t i);

  std::vector<Block> blocks_;  // none is empty
  bool holds_still_ = false;   // since PinInMemory: all blocks are kFloat64
  std::int64_t count_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace lethe
