#include "state/store/crc32c.h"

#include <isa-l/crc.h>

#include <algorithm>

namespace rocksdb::crc32c {

// ISA-L takes and returns what the register holds, counts in int, and only reads.
std::uint32_t Extend(std::uint32_t crc, const char* data, std::size_t size) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  auto* bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(data));
  std::uint32_t held = ~crc;
  while (size > 0) {
    const std::size_t count = std::min(size, kMost);
    held = crc32_iscsi(bytes, static_cast<int>(count), held);
    bytes += count;
    size -= count;
  }
  return ~held;
}

}  // namespace rocksdb::crc32c
