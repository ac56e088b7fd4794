#include "app/config/read_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace lethe::config {
namespace {

Status Unreadable(const std::string& why) {
  return Status(ErrorCode::kConfig, "cannot read the configuration file: " + why);
}

}  // namespace

Result<std::string> ReadWholeFile(const std::string& path) {
  const std::string name = path == "-" ? "/dev/stdin" : path;
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) return Unreadable("it is a directory");
  errno = 0;
  std::ifstream file(name, std::ios::binary);
  if (!file) return Unreadable(errno == 0 ? "unknown reason" : std::strerror(errno));
  // One byte more than allowed, rather than the size beforehand: a pipe has none.
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return Unreadable("reading failed");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kLargestFile) return Unreadable("it is larger than 1 MiB");
  return text;
}

}  // namespace lethe::config
