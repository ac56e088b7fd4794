#include "state/format/byte_block.h"

#include <algorithm>

#include "state/format/bytes.h"
#include "state/format/wipe.h"

namespace lethe {
namespace {

constexpr std::size_t kHeader = 1 + 8 + 4;

// The header of a row, which the lengths of its entries follow.
struct Head {
  std::int64_t first;
  std::size_t count;
};

// None: the row is damaged or of another kind, or too short for its lengths.
std::optional<Head> ReadHead(std::string_view value) {
  if (value.size() < kHeader || NumberAt<RowKind>(value, 0) != RowKind::kBytes) return std::nullopt;
  const Head head{NumberAt<std::int64_t>(value, 1), NumberAt<std::uint32_t>(value, 9)};
  if (head.first < 0 || head.first > kMostIndex) return std::nullopt;
  if (head.count > (value.size() - kHeader) / 4) return std::nullopt;
  return head;
}

}  // namespace

ByteBlock::ByteBlock(std::int64_t first, std::size_t most)
    : first_(first), begin_(kHeader + 4 * most), bytes_(begin_, '\0') {
  ends_.reserve(most);
}

ByteBlock::Entry ByteBlock::At(std::int64_t index) const {
  const auto at = static_cast<std::size_t>(index - first_);
  const std::size_t begin = at == 0 ? 0 : ends_[at - 1];
  return std::string_view(bytes_).substr(begin_ + begin, ends_[at] - begin);
}

void ByteBlock::Append(Entry entry) {
  // Entries of a block have similar lengths, so the first one predicts the size of the block.
  if (ends_.size() == 1) bytes_.reserve(begin_ + ends_.capacity() * ends_.front());
  bytes_ += entry;
  ends_.push_back(static_cast<std::uint32_t>(bytes_.size() - begin_));
}

bool ByteBlock::Blank(std::int64_t index) {
  const Entry entry = At(index);
  if (entry.empty()) return false;
  const auto size = static_cast<std::uint32_t>(entry.size());
  const auto begin = static_cast<std::size_t>(entry.data() - bytes_.data());
  std::copy(bytes_.data() + begin + size, bytes_.data() + bytes_.size(), bytes_.data() + begin);
  Wipe(bytes_.data() + bytes_.size() - size, size);
  bytes_.erase(bytes_.size() - size);
  for (auto at = static_cast<std::size_t>(index - first_); at < ends_.size(); ++at) {
    ends_[at] -= size;
  }
  return true;
}

void ByteBlock::PutHead(std::int64_t from, std::int64_t to, std::string& value) const {
  PutNumber(value, RowKind::kBytes);
  PutNumber(value, from);
  PutNumber(value, static_cast<std::uint32_t>(to - from));
  for (std::int64_t i = from; i < to; ++i) {
    PutNumber(value, static_cast<std::uint32_t>(At(i).size()));
  }
}

std::string ByteBlock::Take() && {
  if (begin_ != kHeader + 4 * ends_.size()) return Encode(first_, end());
  std::string head;
  head.reserve(begin_);
  PutHead(first_, end(), head);
  std::copy(head.begin(), head.end(), bytes_.begin());
  return std::move(bytes_);
}

std::string ByteBlock::Encode(std::int64_t from, std::int64_t to) const {
  const auto begin = static_cast<std::size_t>(from - first_);
  const auto end = static_cast<std::size_t>(to - first_);
  const std::size_t cut = begin == 0 ? 0 : ends_[begin - 1];
  const std::size_t size = end == begin ? 0 : ends_[end - 1] - cut;
  std::string value;
  value.reserve(kHeader + 4 * (end - begin) + size);
  PutHead(from, to, value);
  value.append(bytes_, begin_ + cut, size);
  return value;
}

bool ByteBlock::ForEachIn(std::string_view value, const Visitor& visit) {
  const auto head = ReadHead(value);
  if (!head) return false;
  std::string_view rest = value.substr(kHeader + 4 * head->count);
  for (std::size_t i = 0; i < head->count; ++i) {
    const std::size_t size = NumberAt<std::uint32_t>(value, kHeader + 4 * i);
    if (size > rest.size()) return false;
    visit(head->first + static_cast<std::int64_t>(i), rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return rest.empty();
}

bool ByteBlock::Decode(std::string_view value, ByteBlock& rows) {
  const auto head = ReadHead(value);
  if (!head) return false;
  rows.first_ = head->first;
  rows.ends_.resize(head->count);
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < head->count; ++i) {
    end += NumberAt<std::uint32_t>(value, kHeader + 4 * i);
    rows.ends_[i] = static_cast<std::uint32_t>(end);
  }
  rows.begin_ = kHeader + 4 * head->count;
  rows.bytes_ = value;
  return value.size() - rows.begin_ == end;
}

std::optional<ByteBlock::Entry> ByteBlock::DecodeOne(std::string_view value, std::int64_t wanted) {
  std::optional<Entry> found;
  const bool is_sound = ForEachIn(value, [&](std::int64_t index, Entry entry) {
    if (index == wanted) found = entry;
  });
  return is_sound ? found : std::nullopt;
}

}  // namespace lethe
