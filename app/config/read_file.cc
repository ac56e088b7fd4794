#include "app/config/read_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace lethe::config {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 16;

}  // namespace

Result<std::string> ReadWholeFile(const std::string& path, const std::string& what,
                                  std::size_t limit) {
  const auto unreadable = [&what](const std::string& why) {
    return Status(ErrorCode::kConfig, "cannot read " + what + ": " + why);
  };
  const std::string name = path == "-" ? "/dev/stdin" : path;
  std::error_code ignored;
  if (std::filesystem::is_directory(name, ignored)) return unreadable("it is a directory");
  errno = 0;
  std::ifstream file(name, std::ios::binary);
  if (!file) return unreadable(errno == 0 ? "unknown reason" : std::strerror(errno));
  // Reads to the end instead of asking for the size, because a pipe has none.
  std::string text;
  std::string piece(kPiece, '\0');
  while (file && text.size() <= limit) {
    file.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    text.append(piece, 0, static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) return unreadable("reading failed");
  if (text.size() > limit) {
    return unreadable("it is larger than " + std::to_string(limit >> 20) + " MiB");
  }
  return text;
}

}  // namespace lethe::config
