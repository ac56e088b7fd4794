#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lethe {

// Writes all bytes at an offset of an open file; retries after a signal and after a short write.
// False: errno says why not, and some bytes may have been written.
bool WriteAll(int file, std::string_view bytes, std::uint64_t offset);

// Makes created, renamed and removed names in a folder durable. False: errno says why not.
bool SyncFolder(const std::string& folder);

}  // namespace lethe
