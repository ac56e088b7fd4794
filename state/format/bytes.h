#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace lethe {

// Fixed-width numbers inside the value of a row. They are copied as they lie in memory, so the
// bytes on disk are little-endian only because every supported machine is. Numbers in keys are
// big-endian: see keys.h.
template <typename T>
void PutNumber(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// `bytes` must reach to position + sizeof(T): there is no check here.
template <typename T>
T NumberAt(std::string_view bytes, std::size_t position) {
  T value;
  std::memcpy(&value, bytes.data() + position, sizeof value);
  return value;
}

// The first byte of a row of entries. It says how the entries are encoded. The numbers are on disk.
enum class RowKind : std::uint8_t { kBytes = 1, kEvents = 2 };

// The largest index that a row on disk may hold. A larger one is damage. Below this bound the sum
// of an index and a 32-bit count cannot overflow.
inline constexpr std::int64_t kMostIndex = std::int64_t{1} << 60;

}  // namespace lethe
