#include "tests/support/disk_calls.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace lethe::testing {

std::function<void(int file)> before_pread;
std::atomic<bool (*)(int file)> before_fdatasync = nullptr;

std::string PathOf(int file) {
  char path[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(file);
  const ssize_t size = readlink(link.c_str(), path, sizeof path);
  return size > 0 ? std::string(path, static_cast<std::size_t>(size)) : std::string();
}

}  // namespace lethe::testing

extern "C" ssize_t pread(int file, void* to, size_t size, off_t offset) {
  if (lethe::testing::before_pread) lethe::testing::before_pread(file);
  return syscall(SYS_pread64, file, to, size, offset);
}

extern "C" int fdatasync(int file) {
  bool (*const hook)(int) = lethe::testing::before_fdatasync;
  if (hook != nullptr && !hook(file)) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(syscall(SYS_fdatasync, file));
}
