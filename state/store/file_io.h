#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lethe {

// Writes all bytes at an offset. False: errno says why not.
bool WriteAll(int file, std::string_view bytes, std::uint64_t offset);

// A new name in a folder is durable when this has returned. False: errno says why not.
bool SyncFolder(const std::string& folder);

}  // namespace lethe
