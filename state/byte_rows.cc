#include "state/byte_rows.h"

#include <algorithm>
#include <cstring>

#include "state/bytes.h"

namespace lethe {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kHeader = 1 + 8 + 4;

}  // namespace

ByteRows::Entry ByteRows::At(std::int64_t index) const {
  const auto at = static_cast<std::size_t>(index - first_);
  const std::size_t begin = at == 0 ? 0 : ends_[at - 1];
  return std::string_view(bytes_).substr(begin, ends_[at] - begin);
}

void ByteRows::Append(Entry entry) {
  bytes_ += entry;
  ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
}

bool ByteRows::Blank(std::int64_t index) {
  const Entry entry = At(index);
  if (IsBlank(entry)) return false;
  std::memset(bytes_.data() + (entry.data() - bytes_.data()), 0, entry.size());
  return true;
}

void ByteRows::DropBefore(std::int64_t index) {
  const auto count =
      std::min(static_cast<std::size_t>(std::max<std::int64_t>(0, index - first_)), ends_.size());
  if (count == 0) return;
  const std::uint32_t cut = ends_[count - 1];
  bytes_.erase(0, cut);
  ends_.erase(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(count));
  for (std::uint32_t& end : ends_) end -= cut;
  first_ += static_cast<std::int64_t>(count);
}

std::string ByteRows::Encode(std::int64_t from, std::int64_t to) const {
  const auto begin = static_cast<std::size_t>(from - first_);
  const auto end = static_cast<std::size_t>(to - first_);
  const std::size_t cut = begin == 0 ? 0 : ends_[begin - 1];
  std::string value;
  value.reserve(kHeader + 4 * (end - begin) + (end == begin ? 0 : ends_[end - 1] - cut));
  PutNumber(value, kVersion);
  PutNumber(value, from);
  PutNumber(value, static_cast<std::uint32_t>(to - from));
  for (std::int64_t i = from; i < to; ++i) {
    PutNumber(value, static_cast<std::uint32_t>(At(i).size()));
  }
  if (end > begin) value.append(bytes_, cut, ends_[end - 1] - cut);
  return value;
}

bool ByteRows::Decode(std::string_view value, ByteRows& rows) {
  if (value.size() < kHeader || NumberAt<std::uint8_t>(value, 0) != kVersion) return false;
  rows.first_ = NumberAt<std::int64_t>(value, 1);
  if (rows.first_ < 0 || rows.first_ > kMostIndex) return false;
  const std::size_t count = NumberAt<std::uint32_t>(value, 9);
  if (count > (value.size() - kHeader) / 4) return false;
  rows.ends_.resize(count);
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < count; ++i) {
    end += NumberAt<std::uint32_t>(value, kHeader + 4 * i);
    rows.ends_[i] = static_cast<std::uint32_t>(end);
  }
  rows.bytes_ = value.substr(kHeader + 4 * count);
  return rows.bytes_.size() == end;
}

std::optional<ByteRows::Entry> ByteRows::DecodeOne(std::string_view value, std::int64_t index) {
  ByteRows rows;
  if (!Decode(value, rows) || index < rows.first() || index >= rows.end()) return {};
  const Entry entry = rows.At(index);
  return value.substr(value.size() - rows.bytes_.size() +
                          static_cast<std::size_t>(entry.data() - rows.bytes_.data()),
                      entry.size());
}

}  // namespace lethe
