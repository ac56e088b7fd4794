#pragma once

#include <atomic>
#include <functional>
#include <string>

// Hooks into calls of the program to the disk. A test binary that uses them has its own definitions
// of pread and fdatasync, which the linker takes before the library's.
namespace lethe::testing {

// The path that an open file had.
std::string PathOf(int file);

// Called before each pread and each fdatasync, while they are set. An fdatasync whose hook returns
// false fails with EIO and does nothing.
extern std::function<void(int file)> before_pread;
extern std::atomic<bool (*)(int file)> before_fdatasync;  // also other threads sync

}  // namespace lethe::testing
