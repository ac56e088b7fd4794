#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lethe {

// Encodes a number as a key of 8 bytes, big-endian, so that keys sort in the order of the numbers.
inline std::string NumberKey(std::uint64_t number) {
  std::string key(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) key[i] = static_cast<char>(number >> (56 - 8 * i));
  return key;
}

// The inverse of NumberKey. Any length is read; of a key longer than 8 bytes the last 8 count.
inline std::uint64_t KeyNumber(std::string_view key) {
  std::uint64_t number = 0;
  for (const char c : key) number = number << 8 | static_cast<unsigned char>(c);
  return number;
}

}  // namespace lethe
