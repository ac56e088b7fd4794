#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace lethe {

// Numbers in rows: as they lie in memory, which is little-endian wherever this runs.
template <typename T>
void PutNumber(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename T>
T NumberAt(std::string_view bytes, std::size_t position) {
  T value;
  std::memcpy(&value, bytes.data() + position, sizeof value);
  return value;
}

// The first byte of a row: what its entries are.
enum class RowKind : std::uint8_t { kBytes = 1, kEvents = 2 };

// Of any index on disk: what is above it is damage, and below it sums do not overflow.
inline constexpr std::int64_t kMostIndex = std::int64_t{1} << 60;

}  // namespace lethe
