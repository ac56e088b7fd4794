#include "state/store/crc32c.h"

#include <isa-l/crc.h>

namespace lethe {

// ISA-L takes and returns the raw register, so both inversions are done here. It counts bytes in an
// int, hence the loop, and takes a non-const pointer that it only reads from.
std::uint32_t Crc32c(std::string_view bytes) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  std::uint32_t held = ~std::uint32_t{0};
  while (!bytes.empty()) {
    const std::string_view part = bytes.substr(0, kMost);
    auto* at = reinterpret_cast<unsigned char*>(const_cast<char*>(part.data()));
    held = crc32_iscsi(at, static_cast<int>(part.size()), held);
    bytes.remove_prefix(part.size());
  }
  return ~held;
}

}  // namespace lethe
