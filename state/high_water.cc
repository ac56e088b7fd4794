#include "state/high_water.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace lethe {
namespace {

// "lethe.high-water/1 BOOT SYNCED WRITTEN\n", padded: always the same length, written in place.
constexpr char kFormat[] = "lethe.high-water/1 %-36.36s %020" PRIu64 " %020" PRIu64 "\n";
constexpr std::size_t kLength = 18 + 1 + 36 + 1 + 20 + 1 + 20 + 1;

// Changes whenever the machine starts. Empty where there is none: then nothing is assumed of it.
const std::string& BootId() {
  static const std::string id = [] {
    std::ifstream file("/proc/sys/kernel/random/boot_id");
    std::string text;
    std::getline(file, text);
    return text;
  }();
  return id;
}

Status DiskError(const std::string& path) {
  return {ErrorCode::kDisk, "cannot use " + path + ": " + std::strerror(errno)};
}

}  // namespace

Result<std::unique_ptr<HighWater>> HighWater::Open(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return DiskError(path);
  auto high_water = std::unique_ptr<HighWater>(new HighWater(file, path));
  LETHE_RETURN_IF_ERROR(high_water->Read());
  return high_water;
}

HighWater::~HighWater() { close(file_); }

Status HighWater::Read() {
  char text[kLength + 1] = {};
  const ssize_t size = pread(file_, text, kLength, 0);
  if (size < 0) return DiskError(path_);
  if (size == 0) return Status::Ok();
  char boot[37] = {};
  if (size != static_cast<ssize_t>(kLength) ||
      std::sscanf(text, "lethe.high-water/1 %36s %" SCNu64 " %" SCNu64, boot, &synced_,
                  &written_) != 3) {
    return {ErrorCode::kInput, path_ + " is damaged"};
  }
  if (boot != BootId()) written_ = synced_;
  return Status::Ok();
}

Status HighWater::Check(std::uint64_t commits) const {
  if (commits >= written_) return Status::Ok();
  return {
      ErrorCode::kInput,
      "the state has lost its last " + std::to_string(written_ - commits) +
          " commits (its log was cut short or is damaged). Going on from here would draw new "
          "noise where noise was drawn before, and the two could be averaged away, so it is not "
          "loaded. Begin anew with another state.path: learning starts again from the topic, "
          "and its deletions are honoured again"};
}

Status HighWater::Record(std::uint64_t commits, bool sync) {
  written_ = commits;
  if (sync) synced_ = commits;
  char text[kLength + 1];
  const int length = std::snprintf(text, sizeof text, kFormat,
                                   BootId().empty() ? "-" : BootId().c_str(), synced_, written_);
  if (length != static_cast<int>(kLength) ||
      pwrite(file_, text, kLength, 0) != static_cast<ssize_t>(kLength)) {
    return DiskError(path_);
  }
  return Status::Ok();
}

}  // namespace lethe
