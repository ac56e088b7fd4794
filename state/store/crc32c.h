#pragma once

#include <cstdint>
#include <string_view>

namespace lethe {

// The CRC-32C of these bytes, by the processor's own instruction where it has one (ISA-L).
// Thread-safe.
std::uint32_t Crc32c(std::string_view bytes);

}  // namespace lethe
