#include "state/store/file_io.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace lethe {

bool WriteAll(int file, std::string_view bytes, std::uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    offset += static_cast<std::uint64_t>(written);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool SyncFolder(const std::string& folder) {
  const int file = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return false;
  const bool is_synced = fsync(file) == 0;
  const int error = errno;
  close(file);
  errno = error;
  return is_synced;
}

}  // namespace lethe
