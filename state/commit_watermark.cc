#include "state/commit_watermark.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string_view>

#include "state/store/crc32c.h"
#include "state/store/private_file.h"

namespace lethe {
namespace {

// "lethe.high-water/1 BOOT SYNCED WRITTEN CRC\n", padded to a constant length, so that it can be
// overwritten in place. It is shorter than a disk's sector, which a power cut does not tear.
constexpr char kFormat[] = "lethe.high-water/1 %-36.36s %020" PRIu64 " %020" PRIu64;
constexpr std::size_t kChecked = 18 + 1 + 36 + 1 + 20 + 1 + 20;
constexpr std::size_t kLength = kChecked + 1 + 8 + 1;

// The kernel's id of this start of the machine. Empty where there is none: then every start of the
// process counts as a start of the machine.
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

std::string Checksum(std::string_view text) {
  char digits[9];
  std::snprintf(digits, sizeof digits, "%08" PRIx32, Crc32c(text));
  return digits;
}

std::string Encode(const CommitWatermark& mark) {
  char text[kChecked + 1];
  std::snprintf(text, sizeof text, kFormat, BootId().empty() ? "-" : BootId().c_str(), mark.synced,
                mark.written);
  return std::string(text) + " " + Checksum(text) + "\n";
}

// Returns false if the text is damaged. The numbers of an earlier start of the machine are reduced
// to the synced commits.
bool Decode(const std::string& text, CommitWatermark& mark) {
  if (text.size() != kLength) return false;
  const std::string checked = text.substr(0, kChecked);
  if (text != checked + " " + Checksum(checked) + "\n") return false;
  char boot[37] = {};
  if (std::sscanf(checked.c_str(), "lethe.high-water/1 %36s %" SCNu64 " %" SCNu64, boot,
                  &mark.synced, &mark.written) != 3) {
    return false;
  }
  if (boot != BootId()) mark.written = mark.synced;
  return true;
}

}  // namespace

Status CommitWatermark::Check(std::uint64_t commits) const {
  if (commits >= written) return Status::Ok();
  return {
      ErrorCode::kInput,
      "the state has lost its last " + std::to_string(written - commits) +
          " commits (its log was cut short or is damaged). Going on from here would draw new "
          "noise where noise was drawn before, and the two could be averaged away, so it is not "
          "loaded. Begin anew with another state.path: learning starts again from the topic, "
          "and its deletions are honoured again"};
}

Result<CommitWatermark> ReadCommitWatermark(const std::string& path) {
  CommitWatermark mark;
  const auto text = ReadWholeFile(path);
  if (!text.ok()) return text.status();
  if (!text.value()) return mark;
  if (Decode(*text.value(), mark)) {
    mark.file = CommitWatermark::File::kWhole;
    return mark;
  }
  return CommitWatermark{.file = CommitWatermark::File::kDamaged};
}

CommitWatermarkFile::~CommitWatermarkFile() {
  if (file_ >= 0) close(file_);
}

// From here on the file is only overwritten in place, with the same length. So after a power cut it
// has the old line or the new one.
Status CommitWatermarkFile::Begin() {
  LETHE_RETURN_IF_ERROR(WritePrivateFile(path_, Encode(mark_)));
  file_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
  return file_ < 0 ? DiskError(path_) : Status::Ok();
}

Status CommitWatermarkFile::Record(std::uint64_t commits, bool sync) {
  mark_.written = commits;
  if (sync) mark_.synced = commits;
  const std::string text = Encode(mark_);
  if (pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      (sync && fdatasync(file_) != 0)) {
    return DiskError(path_);
  }
  return Status::Ok();
}

}  // namespace lethe
