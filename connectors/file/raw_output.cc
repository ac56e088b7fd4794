#include "connectors/file/raw_output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

namespace lethe {

namespace {

constexpr int kNoFile = -1;
constexpr int kMaxTemporaryNames = 100;
constexpr mode_t kMode = 0666;  // the umask is applied to it

Status DiskError(const std::string& what, int error) {
  return {ErrorCode::kDisk, what + ": " + std::generic_category().message(error)};
}

// Creates a new file in the folder of `path` and sets `name`. Returns the descriptor or kNoFile. A
// name that exists is skipped, not overwritten: it may belong to a live process.
int CreateTemporary(const std::string& path, std::string& name) {
  int file = kNoFile;
  for (int i = 0; i < kMaxTemporaryNames && file == kNoFile; ++i) {
    name = path + ".partial-" + std::to_string(getpid()) + "-" + std::to_string(i);
    file = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kMode);
    if (file == kNoFile && errno != EEXIST) break;
  }
  return file;
}

}  // namespace

Result<std::unique_ptr<RawOutput>> RawOutput::Open(const std::string& path) {
  if (path == "-") {
    return std::unique_ptr<RawOutput>(new RawOutput("the standard output", "", STDOUT_FILENO));
  }
  struct stat info = {};
  const bool exists = stat(path.c_str(), &info) == 0;
  // Renaming over a directory would fail, and renaming over a device would replace it.
  const bool is_special = exists && !S_ISREG(info.st_mode);
  std::string temporary;
  const int file =
      is_special ? open(path.c_str(), O_WRONLY | O_CLOEXEC) : CreateTemporary(path, temporary);
  if (file == kNoFile) return DiskError("cannot write " + path, errno);
  return std::unique_ptr<RawOutput>(
      new RawOutput(path, is_special ? "" : std::move(temporary), file));
}

RawOutput::RawOutput(std::string path, std::string temporary, int file)
    : path_(std::move(path)), temporary_(std::move(temporary)), file_(file) {}

RawOutput::~RawOutput() {
  if (file_ != kNoFile && file_ != STDOUT_FILENO) close(file_);
  if (file_ != kNoFile && !temporary_.empty()) unlink(temporary_.c_str());
}

Status RawOutput::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file_, bytes.data(), bytes.size());
    if (count >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return Error("write", errno);
    }
  }
  return Status::Ok();
}

Status RawOutput::Commit() {
  if (temporary_.empty()) return Status::Ok();
  if (fsync(file_) != 0) return Error("write", errno);
  if (rename(temporary_.c_str(), path_.c_str()) != 0) return Error("rename to", errno);
  close(std::exchange(file_, kNoFile));
  return Status::Ok();
}

Status RawOutput::Error(const char* verb, int error) const {
  return DiskError(std::string("cannot ") + verb + " " + path_, error);
}

}  // namespace lethe
