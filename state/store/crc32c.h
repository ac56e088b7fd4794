#pragma once

#include <cstdint>
#include <string_view>

namespace lethe {

// The CRC-32C of these bytes, as usually defined: initial value and final inversion included. ISA-L
// uses the processor's instruction where there is one. Thread-safe.
std::uint32_t Crc32c(std::string_view bytes);

}  // namespace lethe
