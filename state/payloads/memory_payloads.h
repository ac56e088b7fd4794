#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/ports/payloads.h"
#include "state/format/number_form.h"

namespace lethe {

// Payloads in memory, in order of index: blocks of rows that lie next to each other, dense ones in
// four bytes a number where all of a block fit. A block never grows beyond what it reserved, so
// that no copy of a row stays behind in freed memory, and rows that leave are overwritten.
class MemoryPayloads final : public Payloads {
 public:
  void Add(EventIndex index, const Example& example) override;
  void Remove(EventIndex index) override;
  void DropBefore(EventIndex index) override;
  void ForEach(const Visitor& visit) const override;
  void ForEachBlock(const BlockVisitor& visit) const override;
  void PinInMemory() override;
  std::int64_t count() const override { return count_; }
  std::int64_t bytes() const override { return bytes_; }

 private:
  // Rows [first, indices.size()) are retained; those before are zero.
  struct Block {
    Block(NumberForm form, std::size_t values_of_a_row);

    std::size_t size() const { return indices.size() - first; }
    std::size_t begin(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
    std::size_t values(std::size_t row) const { return ends[row] - begin(row); }
    std::span<const std::uint32_t> Places(std::size_t row) const;
    bool HasRoomFor(std::size_t rows, std::size_t values) const;
    // False: they do not fit its form, and it is as before.
    bool Append(EventIndex index, double y, std::span<const double> x,
                std::span<const std::uint32_t> at);
    // Adds all rows of another one of the same form.
    void Append(const Block& other);
    void Read(std::size_t from, std::size_t count, double* to) const;  // numbers
    void Widen();                                                      // to eight bytes a number
    void Erase(std::size_t row);
    void DropFirst();

    NumberForm form;
    std::size_t first = 0;
    std::vector<EventIndex> indices;
    std::vector<double> y;
    std::vector<std::size_t> ends;       // of each row, in numbers
    std::vector<double> x;               // the numbers, in eight bytes
    std::vector<std::uint32_t> short_x;  // or in four
    std::vector<std::uint32_t> at;       // hashed features only: beside x
  };

  static std::int64_t BytesOf(const Block& block, std::size_t row);
  // Joins block i with the next one if both together are half empty.
  void Join(std::size_t i);

  std::vector<Block> blocks_;  // none of them empty
  bool holds_still_ = false;
  std::int64_t count_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace lethe
