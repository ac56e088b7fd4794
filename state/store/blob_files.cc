#include "state/store/blob_files.h"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>
#include <tuple>
#include <utility>

#include "engine/base/check.h"
#include "state/store/crc32c.h"
#include "state/store/file_io.h"
#include "state/store/private_file.h"

namespace lethe {
namespace {

constexpr std::uint64_t kAhead = std::uint64_t{8} << 20;  // bytes that are allocated in advance
constexpr std::size_t kZeros = std::size_t{64} << 10;     // bytes of a single write of zeros

// Writes the values one after another, beginning at `offset`. False: errno says why not.
bool WriteValues(int file, const std::vector<std::string_view>& values, std::uint64_t offset) {
  constexpr std::size_t kAtOnce = 1024;  // IOV_MAX of Linux
  for (std::size_t first = 0; first < values.size(); first += kAtOnce) {
    const std::size_t end = std::min(first + kAtOnce, values.size());
    std::vector<iovec> pieces;
    std::size_t bytes = 0;
    for (std::size_t i = first; i < end; ++i) {
      pieces.push_back({const_cast<char*>(values[i].data()), values[i].size()});
      bytes += values[i].size();
    }
    const ssize_t written =
        pwritev(file, pieces.data(), static_cast<int>(pieces.size()), static_cast<off_t>(offset));
    // After a short or failed write the values are written again one by one, so that errno has the
    // reason.
    const bool is_done = written == static_cast<ssize_t>(bytes);
    for (std::size_t i = first; i < end; ++i) {
      if (!is_done && !WriteAll(file, values[i], offset)) return false;
      offset += values[i].size();
    }
  }
  return true;
}

// Fills `bytes` from `offset` on. Returns how many bytes the file had; none on an error.
std::optional<std::size_t> ReadAll(int file, std::string& bytes, std::uint64_t offset) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got =
        pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

// Overwrites an extent. A large one becomes a hole, which frees its blocks, if the file system
// supports that; otherwise zeros are written. False: errno says why not.
bool ZeroOne(int file, const BlobFiles::Extent& extent) {
  const auto size = extent.end - extent.offset;
  if (size >= kZeros &&
      fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(extent.offset),
                static_cast<off_t>(size)) == 0) {
    return true;
  }
  if (size >= kZeros && errno != EOPNOTSUPP && errno != ENOSYS) return false;
  const std::string zeros(std::min<std::uint64_t>(kZeros, size), '\0');
  for (std::uint64_t at = extent.offset; at < extent.end; at += zeros.size()) {
    const auto rest = std::min<std::uint64_t>(zeros.size(), extent.end - at);
    if (!WriteAll(file, std::string_view(zeros).substr(0, rest), at)) return false;
  }
  return true;
}

// The extents of each file in order of offset, with adjacent ones joined.
std::map<std::uint64_t, std::vector<BlobFiles::Extent>> ByFile(
    std::vector<BlobFiles::Extent> extents) {
  std::sort(extents.begin(), extents.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::map<std::uint64_t, std::vector<BlobFiles::Extent>> files;
  for (const BlobFiles::Extent& extent : extents) {
    auto& here = files[extent.file];
    if (!here.empty() && here.back().end == extent.offset) {
      here.back().end = extent.end;
    } else {
      here.push_back(extent);
    }
  }
  return files;
}

Status Damaged(const std::string& path, const std::string& what) {
  return {ErrorCode::kInput, "the state is damaged: " + path + " " + what};
}

}  // namespace

std::uint32_t BlobFiles::Checksum(std::string_view bytes) { return Crc32c(bytes); }

Status BlobFiles::Failed(const std::string& doing, const std::string& path) const {
  const std::string message = "cannot " + doing + " " + path + ": " + std::strerror(errno);
  failure_(message);
  return {ErrorCode::kDisk, message};
}

Status BlobFiles::Sync() const {
  return SyncFolder(folder_) ? Status::Ok() : Failed("sync", folder_);
}

// Sorts the needed locations, and walks through each file beside them: every gap between two needed
// blobs, and the tail behind the last one, is released.
Status BlobFiles::Load(std::vector<BlobLocation> needed) {
  const std::lock_guard lock(mutex_);
  std::sort(needed.begin(), needed.end(), [](const BlobLocation& a, const BlobLocation& b) {
    return std::tie(a.file, a.offset) < std::tie(b.file, b.offset);
  });
  if (!needed.empty()) next_ = needed.back().file + 1;
  std::error_code error;
  if (!std::filesystem::exists(folder_, error)) return Status::Ok();
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    const char* const end = name.data() + name.size();
    std::uint64_t number = 0;
    const auto read = std::from_chars(name.data(), end, number);
    if (read.ec != std::errc() || read.ptr != end) continue;
    const std::uint64_t size = entry.file_size(error);
    if (error) break;
    next_ = std::max(next_, number + 1);
    files_[number].bytes = size;
    std::uint64_t at = 0;
    const auto release_until = [&](std::uint64_t offset) {
      if (at >= offset) return;
      released_.push_back({number, at, offset});
      released_bytes_ += offset - at;
    };
    for (auto location = std::lower_bound(
             needed.begin(), needed.end(), number,
             [](const BlobLocation&one, std::uint64_t file) { return one.file < file; });
         location != needed.end() && location->file == number; ++location) {
      release_until(std::min(location->offset, size));
      at = std::max(at, location->offset + location->size);
    }
    release_until(size);
  }
  if (error) return {ErrorCode::kDisk, "cannot list " + folder_ + ": " + error.message()};
  return Status::Ok();
}

Status BlobFiles::Writer::Begin(std::uint64_t group) {
  Close();
  LETHE_RETURN_IF_ERROR(MakePrivateFolder(files_.folder_));
  {
    const std::lock_guard lock(files_.mutex_);
    number_ = files_.next_++;
    files_.files_[number_].is_written = true;
  }
  group_ = group;
  end_ = room_ = 0;
  const std::string path = files_.PathOf(number_);
  file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file_ < 0) return files_.Failed("create", path);
  return files_.Sync();
}

void BlobFiles::Writer::Close() {
  if (file_ < 0) return;
  // Frees the blocks behind the end. If that fails, they are freed when the file is removed.
  if (room_ > end_ && ftruncate(file_, static_cast<off_t>(end_)) != 0) room_ = end_;
  close(std::exchange(file_, -1));
  {
    const std::lock_guard lock(files_.mutex_);
    files_.files_[number_].is_written = false;
  }
  if (files_.Forget(number_, 0)) unlink(files_.PathOf(number_).c_str());
}

Result<std::vector<BlobLocation>> BlobFiles::Writer::Append(
    const std::vector<std::string_view>& values, std::uint64_t group) {
  if (file_ < 0 || group != group_) LETHE_RETURN_IF_ERROR(Begin(group));
  std::vector<BlobLocation> locations;
  std::uint64_t end = end_;
  for (const std::string_view value : values) {
    locations.push_back({number_, end, value.size(), Checksum(value)});
    end += value.size();
  }
  // Allocating blocks in advance makes the syncs much quicker. It is optional: errors are ignored.
  if (end > room_) {
    room_ = end + kAhead;
    fallocate(file_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(end_),
              static_cast<off_t>(room_ - end_));
  }
  const std::string path = files_.PathOf(number_);
  if (!WriteValues(file_, values, end_)) return files_.Failed("write", path);
  if (fdatasync(file_) != 0) return files_.Failed("sync", path);
  const std::lock_guard lock(files_.mutex_);
  files_.files_[number_].bytes += end - std::exchange(end_, end);
  return locations;
}

void BlobFiles::Reader::Close() {
  if (file_ >= 0) close(std::exchange(file_, -1));
}

Status BlobFiles::Reader::Read(const BlobLocation& location, std::string& bytes) {
  const std::string path = files_.PathOf(location.file);
  if (file_ < 0 || number_ != location.file) {
    Close();
    file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file_ < 0 && errno == ENOENT) return Damaged(path, "is missing");
    if (file_ < 0) return {ErrorCode::kDisk, "cannot read " + path + ": " + std::strerror(errno)};
    number_ = location.file;
  }
  // Checked before the memory is allocated, since a damaged size may be huge.
  const off_t end = lseek(file_, 0, SEEK_END);
  if (end < 0 || location.offset > static_cast<std::uint64_t>(end) ||
      location.size > static_cast<std::uint64_t>(end) - location.offset) {
    return Damaged(path, "is too short");
  }
  bytes.resize(location.size);
  const auto got = ReadAll(file_, bytes, location.offset);
  if (!got) return {ErrorCode::kDisk, "cannot read " + path + ": " + std::strerror(errno)};
  if (*got != location.size || Checksum(bytes) != location.checksum) {
    return Damaged(path, "has a wrong checksum at " + std::to_string(location.offset));
  }
  return Status::Ok();
}

void BlobFiles::Release(const BlobLocation& location) {
  if (location.size == 0) return;
  const std::lock_guard lock(mutex_);
  released_.push_back({location.file, location.offset, location.offset + location.size});
  released_bytes_ += location.size;
}

std::uint64_t BlobFiles::released_bytes() const {
  const std::lock_guard lock(mutex_);
  return released_bytes_;
}

std::uint64_t BlobFiles::bytes() const {
  const std::lock_guard lock(mutex_);
  std::uint64_t bytes = 0;
  for (const auto& [number, file] : files_) bytes += file.bytes;
  return bytes;
}

std::vector<BlobFiles::Extent> BlobFiles::TakeReleased() {
  const std::lock_guard lock(mutex_);
  released_bytes_ = 0;
  return std::exchange(released_, {});
}

bool BlobFiles::Forget(std::uint64_t number, std::uint64_t destroyed) {
  const std::lock_guard lock(mutex_);
  const auto file = files_.find(number);
  if (file == files_.end() || file->second.is_written || file->second.bytes != destroyed) {
    return false;
  }
  files_.erase(file);
  return true;
}

Status BlobFiles::Unlink(std::uint64_t file) const {
  const std::string path = PathOf(file);
  return unlink(path.c_str()) == 0 || errno == ENOENT ? Status::Ok() : Failed("remove", path);
}

Status BlobFiles::Zero(std::uint64_t number, const std::vector<Extent>& extents) const {
  const std::string path = PathOf(number);
  const int file = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno == ENOENT ? Status::Ok() : Failed("open", path);
  Status status;
  for (const Extent& extent : extents) {
    if (status.ok() && !ZeroOne(file, extent)) status = Failed("erase in", path);
  }
  if (status.ok() && fdatasync(file) != 0) status = Failed("sync", path);
  close(file);
  return status;
}

// For each file: if the extents are all that is left, the file is removed without being zeroed.
// Otherwise the extents are zeroed and synced, and the file is removed if that emptied it. Removed
// names are synced once, at the end.
Status BlobFiles::Destroy(std::vector<Extent> extents) {
  bool is_removed = false;
  for (const auto& [number, here] : ByFile(std::move(extents))) {
    std::uint64_t bytes = 0;
    for (const Extent& extent : here) bytes += extent.end - extent.offset;
    if (!Forget(number, bytes)) {
      LETHE_RETURN_IF_ERROR(Zero(number, here));
      {
        const std::lock_guard lock(mutex_);
        if (const auto file = files_.find(number); file != files_.end())
          file->second.bytes -= bytes;
      }
      if (!Forget(number, 0)) continue;
    }
    LETHE_RETURN_IF_ERROR(Unlink(number));
    is_removed = true;
  }
  return is_removed ? Sync() : Status::Ok();
}

}  // namespace lethe
