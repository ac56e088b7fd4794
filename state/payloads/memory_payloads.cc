#include "state/payloads/memory_payloads.h"

#include <algorithm>

#include "engine/base/check.h"
#include "state/format/wipe.h"

namespace lethe {
namespace {

constexpr std::size_t kRows = 256;  // the most rows of a block

// The shortest form of a row. The bytes that are written to find out are wiped.
NumberForm FormOf(std::span<const double> x) {
  std::vector<char> bytes(x.size_bytes());
  const NumberForm form = WriteShortest(x.data(), x.size(), bytes.data());
  Wipe(bytes.data(), bytes.size());
  return form;
}

// Removes the elements [begin, end), and wipes the memory that becomes free at the end. The
// capacity stays.
template <typename T>
void EraseRange(std::vector<T>& values, std::size_t begin, std::size_t end) {
  std::copy(values.data() + end, values.data() + values.size(), values.data() + begin);
  const std::size_t rest = values.size() - (end - begin);
  Wipe(values.data() + rest, end - begin);
  values.resize(rest);
}

}  // namespace

MemoryPayloads::Block::Block(NumberForm its_form, std::size_t values_of_a_row) : form(its_form) {
  const std::size_t values = kRows * std::max<std::size_t>(1, values_of_a_row);
  indices.reserve(kRows);
  y.reserve(kRows);
  w.reserve(kRows);
  ends.reserve(kRows);
  form == NumberForm::kFloat64 ? x.reserve(values) : short_x.reserve(values);
}

bool MemoryPayloads::Block::HasRoomFor(std::size_t rows, std::size_t values) const {
  const std::size_t room = form == NumberForm::kFloat64 ? x.capacity() : short_x.capacity();
  return indices.size() + rows <= kRows && begin(indices.size()) + values <= room;
}

bool MemoryPayloads::Block::Append(EventIndex index, double label, double weight,
                                   std::span<const double> values,
                                   std::span<const std::uint32_t> places) {
  if (form == NumberForm::kFloat64) {
    x.insert(x.end(), values.begin(), values.end());
  } else {
    const std::size_t before = short_x.size();
    short_x.resize(before + values.size());
    if (!WriteNumbers(form, values.data(), values.size(),
                      reinterpret_cast<char*>(short_x.data() + before))) {
      EraseRange(short_x, before, short_x.size());
      return false;
    }
  }
  indices.push_back(index);
  y.push_back(label);
  w.push_back(weight);
  ends.push_back(begin(ends.size()) + values.size());
  if (!places.empty()) {
    LETHE_CHECK(at.size() + places.size() == ends.back());  // all rows are hashed, or none
    at.reserve(x.capacity());
    at.insert(at.end(), places.begin(), places.end());
  }
  return true;
}

void MemoryPayloads::Block::Append(const Block& other) {
  LETHE_CHECK(form == other.form && other.first == 0);
  const std::size_t before = begin(ends.size());
  indices.insert(indices.end(), other.indices.begin(), other.indices.end());
  y.insert(y.end(), other.y.begin(), other.y.end());
  w.insert(w.end(), other.w.begin(), other.w.end());
  for (const std::size_t end : other.ends) ends.push_back(before + end);
  x.insert(x.end(), other.x.begin(), other.x.end());
  short_x.insert(short_x.end(), other.short_x.begin(), other.short_x.end());
  if (other.at.empty()) return;
  at.reserve(x.capacity());
  at.insert(at.end(), other.at.begin(), other.at.end());
}

void MemoryPayloads::Block::Read(std::size_t from, std::size_t count, double* to) const {
  const char* const numbers = form == NumberForm::kFloat64
                                  ? reinterpret_cast<const char*>(x.data() + from)
                                  : reinterpret_cast<const char*>(short_x.data() + from);
  ReadNumbers(form, numbers, count, to);
}

void MemoryPayloads::Block::Widen() {
  if (form == NumberForm::kFloat64) return;
  x.reserve(short_x.capacity());
  x.resize(short_x.size());
  Read(0, short_x.size(), x.data());
  Wipe(short_x.data(), short_x.size());
  short_x = {};
  form = NumberForm::kFloat64;
}

void MemoryPayloads::Block::Erase(std::size_t row) {
  const std::size_t begin_row = begin(row);
  const std::size_t end_row = ends[row];
  EraseRange(indices, row, row + 1);
  EraseRange(y, row, row + 1);
  EraseRange(w, row, row + 1);
  form == NumberForm::kFloat64 ? EraseRange(x, begin_row, end_row)
                               : EraseRange(short_x, begin_row, end_row);
  if (!at.empty()) EraseRange(at, begin_row, end_row);
  EraseRange(ends, row, row + 1);
  for (std::size_t i = row; i < ends.size(); ++i) ends[i] -= end_row - begin_row;
}

// A window drops a row for each event, so this must be cheap: unlike Erase it moves nothing.
void MemoryPayloads::Block::DropFirst() {
  Wipe(&y[first], 1);
  Wipe(&w[first], 1);
  form == NumberForm::kFloat64 ? Wipe(x.data() + begin(first), values(first))
                               : Wipe(short_x.data() + begin(first), values(first));
  if (!at.empty()) Wipe(at.data() + begin(first), values(first));
  ++first;
}

std::span<const std::uint32_t> MemoryPayloads::Block::Places(std::size_t row) const {
  if (at.empty()) return {};
  return {at.data() + begin(row), at.data() + ends[row]};
}

std::int64_t MemoryPayloads::BytesOf(const Block& block, std::size_t row) {
  return static_cast<std::int64_t>((block.values(row) + 1) * sizeof(double) +
                                   block.Places(row).size_bytes());
}

// The row goes into the last block if that has room and the row fits its form. A row that does not
// fit widens a block that is less than half full; otherwise it begins a block of its own form.
void MemoryPayloads::Add(EventIndex index, const Example& example) {
  LETHE_CHECK(blocks_.empty() || blocks_.back().indices.back() < index);
  const std::span<const double> x(example.x.data(), static_cast<std::size_t>(example.x.size()));
  const auto append = [&] {
    return blocks_.back().Append(index, example.y, example.w, x, example.at);
  };
  const bool has_room = !blocks_.empty() && blocks_.back().HasRoomFor(1, x.size());
  if (!has_room || !append()) {
    if (has_room && blocks_.back().size() < kRows / 2) {
      blocks_.back().Widen();
    } else {
      const bool is_short = example.at.empty() && !holds_still_;
      blocks_.emplace_back(is_short ? FormOf(x) : NumberForm::kFloat64, x.size());
    }
    LETHE_CHECK(append());
  }
  ++count_;
  bytes_ += BytesOf(blocks_.back(), blocks_.back().indices.size() - 1);
}

void MemoryPayloads::PinInMemory() {
  holds_still_ = true;
  for (Block& block : blocks_) block.Widen();
}

void MemoryPayloads::Remove(EventIndex index) {
  const auto block =
      std::lower_bound(blocks_.begin(), blocks_.end(), index,
                       [](const Block& b, EventIndex wanted) { return b.indices.back() < wanted; });
  // The payload may have been dropped from a window before.
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
  if (next.first > 0 || next.form != block.form) return;
  if (!block.HasRoomFor(next.size(), next.ends.back())) return;
  block.Append(next);
  while (next.size() > 0) next.DropFirst();
  blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i) + 1);
}

void MemoryPayloads::ForEachIn(EventIndex from, EventIndex end, const Visitor& visit) const {
  Example example;
  const auto wipe = [&example] {
    Wipe(example.x.data(), static_cast<std::size_t>(example.x.size()));
    Wipe(example.at.data(), example.at.size());
  };
  auto first = std::lower_bound(
      blocks_.begin(), blocks_.end(), from,
      [](const Block& block, EventIndex wanted) { return block.indices.back() < wanted; });
  for (; first != blocks_.end() && first->indices[first->first] < end; ++first) {
    const Block& block = *first;
    const auto retained = block.indices.begin() + static_cast<std::ptrdiff_t>(block.first);
    const auto begin = std::lower_bound(retained, block.indices.end(), from);
    for (auto row = static_cast<std::size_t>(begin - block.indices.begin());
         row < block.indices.size() && block.indices[row] < end; ++row) {
      const auto at = block.Places(row);
      const auto values = static_cast<Eigen::Index>(block.values(row));
      if (example.x.size() != values) wipe();  // resize moves them
      example.x.resize(values);
      block.Read(block.begin(row), block.values(row), example.x.data());
      example.y = block.y[row];
      example.w = block.w[row];
      example.at.assign(at.begin(), at.end());
      visit(block.indices[row], example);
    }
  }
  wipe();
}

// Blocks in eight bytes a number are visited whole, without a copy. Others are decoded into a
// buffer, kRowsToRead rows at a time, which is wiped in the end.
void MemoryPayloads::ForEachBlock(const BlockVisitor& visit) const {
  std::vector<double> read;
  for (const Block& block : blocks_) {
    LETHE_CHECK(block.at.empty());
    const bool is_read = block.form != NumberForm::kFloat64;
    const std::size_t rows = block.indices.size();
    for (std::size_t row = block.first; row < rows;) {
      const std::size_t count = is_read ? std::min(kRowsToRead, rows - row) : rows - row;
      const std::size_t begin = block.begin(row);
      const std::size_t values = block.ends[row + count - 1] - begin;
      std::span<const double> x = std::span(block.x).subspan(is_read ? 0 : begin);
      if (is_read) {
        if (read.size() < values) {
          Wipe(read.data(), read.size());  // resize moves them
          read.resize(values);
        }
        block.Read(begin, values, read.data());
        x = std::span(read).first(values);
      }
      visit({std::span(block.indices).subspan(row, count), std::span(block.y).subspan(row, count),
             x, std::span(block.w).subspan(row, count)});
      row += count;
    }
  }
  Wipe(read.data(), read.size());
}

}  // namespace lethe
