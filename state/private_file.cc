#include "state/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace lethe {
namespace {

Status DiskError(const std::string& doing, const std::string& path) {
  return {ErrorCode::kDisk, "cannot " + doing + " " + path + ": " + std::strerror(errno)};
}

// A new name in a folder is durable when the folder is.
Status SyncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  const int file = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return DiskError("open", folder);
  const int result = fsync(file);
  close(file);
  return result == 0 ? Status::Ok() : DiskError("sync", folder);
}

Status WriteAndSync(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return DiskError("write", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return fsync(file) == 0 ? Status::Ok() : DiskError("sync", path);
}

}  // namespace

Status WritePrivateFile(const std::string& path, std::string_view bytes) {
  const std::string part = path + ".part";
  const int file = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return DiskError("create", part);
  const Status written = WriteAndSync(file, bytes, part);
  close(file);
  LETHE_RETURN_IF_ERROR(written);
  if (rename(part.c_str(), path.c_str()) != 0) return DiskError("rename", part);
  return SyncFolderOf(path);
}

Result<std::optional<std::string>> ReadWholeFile(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return std::optional<std::string>();
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return Status(ErrorCode::kDisk, "cannot read " + path);
  return std::optional<std::string>(text.str());
}

Status MakePrivateFolder(const std::string& path) {
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!parent.empty()) std::filesystem::create_directories(parent, error);
  if (error) return {ErrorCode::kDisk, "cannot create " + parent.string() + ": " + error.message()};
  if (mkdir(path.c_str(), 0700) == 0) return SyncFolderOf(path);
  return errno == EEXIST ? Status::Ok() : DiskError("create", path);
}

}  // namespace lethe
