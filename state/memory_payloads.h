#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/ports/payloads.h"

namespace lethe {

// Payloads in memory, in order of index: blocks of rows that lie next to each other. A block never
// grows beyond what it reserved, so that no copy of a row stays behind in freed memory, and rows
// that leave are overwritten.
class MemoryPayloads final : public Payloads {
 public:
  void Add(EventIndex index, const Example& example) override;
  void Remove(EventIndex index) override;
  void DropBefore(EventIndex index) override;
  void ForEach(const Visitor& visit) const override;
  void ForEachBlock(const BlockVisitor& visit) const override;
  std::int64_t count() const override { return count_; }
  std::int64_t bytes() const override { return bytes_; }

 private:
  // Rows [first, indices.size()) are retained; those before are zero.
  struct Block {
    std::size_t first = 0;
    std::vector<EventIndex> indices;
    std::vector<double> y;
    std::vector<std::size_t> ends;  // of each row, in x
    std::vector<double> x;
    std::vector<std::uint32_t> at;  // hashed features only: beside x

    std::size_t size() const { return indices.size() - first; }
    std::size_t begin(std::size_t row) const { return row == 0 ? 0 : ends[row - 1]; }
    std::span<const double> Values(std::size_t row) const;
    std::span<const std::uint32_t> Places(std::size_t row) const;
    bool HasRoomFor(std::size_t rows, std::size_t values) const;
    void Append(EventIndex index, double y, std::span<const double> x,
                std::span<const std::uint32_t> at);
    void Erase(std::size_t row);
    void DropFirst();
  };

  static Block NewBlock(std::size_t values_of_a_row);
  static std::int64_t BytesOf(const Block& block, std::size_t row);
  // Joins block i with the next one if both together are half empty.
  void Join(std::size_t i);

  std::vector<Block> blocks_;  // none of them empty
  std::int64_t count_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace lethe
