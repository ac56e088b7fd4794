#pragma once

#include <cstdint>
#include <string>

namespace lethe {

// Appends the value as a varint (LEB128): seven bits per byte, low bits first; the top bit is set
// if more bytes follow.
inline void AppendVarint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

}  // namespace lethe
