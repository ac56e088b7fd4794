#pragma once

#include <cstdint>
#include <string>

namespace lethe {

// Appends seven bits per byte, the low ones first; the top bit says that more bytes follow.
inline void AppendVarint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

}  // namespace lethe
