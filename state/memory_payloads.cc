#include "state/memory_payloads.h"

#include <algorithm>

#include "engine/check.h"

namespace lethe {
namespace {

constexpr std::size_t kRows = 256;  // of a block

// Overwrites in a way that the compiler does not leave out because nobody reads it.
template <typename T>
void Wipe(T* values, std::size_t count) {
  std::fill(values, values + count, T{});
  asm volatile("" : : "r"(values) : "memory");
}

// Takes the elements [begin, end) out, and wipes the room that becomes free at the end.
template <typename T>
void EraseRange(std::vector<T>& values, std::size_t begin, std::size_t end) {
  std::copy(values.data() + end, values.data() + values.size(), values.data() + begin);
  const std::size_t rest = values.size() - (end - begin);
  Wipe(values.data() + rest, end - begin);
  values.resize(rest);
}

}  // namespace

MemoryPayloads::Block MemoryPayloads::NewBlock(std::size_t values_of_a_row) {
  Block block;
  block.indices.reserve(kRows);
  block.y.reserve(kRows);
  block.ends.reserve(kRows);
  block.x.reserve(kRows * std::max<std::size_t>(1, values_of_a_row));
  return block;
}

bool MemoryPayloads::Block::HasRoomFor(std::size_t rows, std::size_t values) const {
  return indices.size() + rows <= kRows && x.size() + values <= x.capacity();
}

void MemoryPayloads::Block::Append(EventIndex index, double label, std::span<const double> values,
                                   std::span<const std::uint32_t> places) {
  indices.push_back(index);
  y.push_back(label);
  x.insert(x.end(), values.begin(), values.end());
  if (!places.empty()) {
    LETHE_CHECK(at.size() + places.size() == x.size());  // all rows are hashed, or none
    at.reserve(x.capacity());
    at.insert(at.end(), places.begin(), places.end());
  }
  ends.push_back(x.size());
}

void MemoryPayloads::Block::Erase(std::size_t row) {
  const std::size_t begin_row = begin(row);
  const std::size_t end_row = ends[row];
  EraseRange(indices, row, row + 1);
  EraseRange(y, row, row + 1);
  EraseRange(x, begin_row, end_row);
  if (!at.empty()) EraseRange(at, begin_row, end_row);
  EraseRange(ends, row, row + 1);
  for (std::size_t i = row; i < ends.size(); ++i) ends[i] -= end_row - begin_row;
}

// Windows drop one row per event, so here nothing moves up.
void MemoryPayloads::Block::DropFirst() {
  Wipe(&y[first], 1);
  Wipe(x.data() + begin(first), ends[first] - begin(first));
  if (!at.empty()) Wipe(at.data() + begin(first), ends[first] - begin(first));
  ++first;
}

std::span<const double> MemoryPayloads::Block::Values(std::size_t row) const {
  return {x.data() + begin(row), x.data() + ends[row]};
}

std::span<const std::uint32_t> MemoryPayloads::Block::Places(std::size_t row) const {
  if (at.empty()) return {};
  return {at.data() + begin(row), at.data() + ends[row]};
}

std::int64_t MemoryPayloads::BytesOf(const Block& block, std::size_t row) {
  return static_cast<std::int64_t>(block.Values(row).size_bytes() + sizeof(double) +
                                   block.Places(row).size_bytes());
}

void MemoryPayloads::Add(EventIndex index, const Example& example) {
  LETHE_CHECK(blocks_.empty() || blocks_.back().indices.back() < index);
  const auto values = static_cast<std::size_t>(example.x.size());
  if (blocks_.empty() || !blocks_.back().HasRoomFor(1, values)) {
    blocks_.push_back(NewBlock(values));
  }
  Block& block = blocks_.back();
  block.Append(index, example.y, {example.x.data(), values}, example.at);
  ++count_;
  bytes_ += BytesOf(block, block.indices.size() - 1);
}

void MemoryPayloads::Remove(EventIndex index) {
  const auto block =
      std::lower_bound(blocks_.begin(), blocks_.end(), index,
                       [](const Block& b, EventIndex wanted) { return b.indices.back() < wanted; });
  // Outside of a window there is nothing to remove.
  if (block == blocks_.end()) return;
  const auto retained = block->indices.begin() + static_cast<std::ptrdiff_t>(block->first);
  const auto at = std::lower_bound(retained, block->indices.end(), index);
  if (*at != index) return;
  const auto row = static_cast<std::size_t>(at - block->indices.begin());
  --count_;
  bytes_ -= BytesOf(*block, row);
  block->Erase(row);
  const auto i = static_cast<std::size_t>(block - blocks_.begin());
  if (block->size() == 0) {
    blocks_.erase(block);
  } else {
    Join(i);
  }
  if (i > 0) Join(i - 1);
}

void MemoryPayloads::DropBefore(EventIndex index) {
  std::size_t gone = 0;
  for (; gone < blocks_.size(); ++gone) {
    Block& block = blocks_[gone];
    while (block.size() > 0 && block.indices[block.first] < index) {
      --count_;
      bytes_ -= BytesOf(block, block.first);
      block.DropFirst();
    }
    if (block.size() > 0) break;
  }
  blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(gone));
}

void MemoryPayloads::Join(std::size_t i) {
  if (i + 1 >= blocks_.size()) return;
  Block& block = blocks_[i];
  Block& next = blocks_[i + 1];
  if (block.size() + next.size() > kRows / 2) return;
  if (next.first > 0 || !block.HasRoomFor(next.size(), next.x.size())) return;
  for (std::size_t row = 0; row < next.size(); ++row) {
    block.Append(next.indices[row], next.y[row], next.Values(row), next.Places(row));
  }
  while (next.size() > 0) next.DropFirst();
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
}

void MemoryPayloads::ForEach(const Visitor& visit) const {
  Example example;
  const auto wipe = [&example] {
    Wipe(example.x.data(), static_cast<std::size_t>(example.x.size()));
    Wipe(example.at.data(), example.at.size());
  };
  for (const Block& block : blocks_) {
    for (std::size_t row = block.first; row < block.indices.size(); ++row) {
      const auto x = block.Values(row);
      const auto at = block.Places(row);
      if (example.x.size() != static_cast<Eigen::Index>(x.size())) wipe();  // it moves
      example.x = Eigen::Map<const Vector>(x.data(), static_cast<Eigen::Index>(x.size()));
      example.y = block.y[row];
      example.at.assign(at.begin(), at.end());
      visit(block.indices[row], example);
    }
  }
  wipe();
}

void MemoryPayloads::ForEachBlock(const BlockVisitor& visit) const {
  for (const Block& block : blocks_) {
    LETHE_CHECK(block.at.empty());
    visit({std::span(block.indices).subspan(block.first), std::span(block.y).subspan(block.first),
           std::span(block.x).subspan(block.begin(block.first))});
  }
}

}  // namespace lethe
