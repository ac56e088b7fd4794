#include "state/store/private_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "state/store/file_io.h"

namespace lethe {
namespace {

Status DiskError(const std::string& doing, const std::string& path) {
  return {ErrorCode::kDisk, "cannot " + doing + " " + path + ": " + std::strerror(errno)};
}

Status SyncFolderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return SyncFolder(folder) ? Status::Ok() : DiskError("sync", folder);
}

}  // namespace

Status WritePrivateFile(const std::string& path, std::string_view bytes) {
  const std::string part = path + ".part";
  const int file = open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return DiskError("create", part);
  const bool is_written = WriteAll(file, bytes, 0) && fsync(file) == 0;
  const Status status = is_written ? Status::Ok() : DiskError("write", part);
  close(file);
  LETHE_RETURN_IF_ERROR(status);
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
