#include "connectors/file/raw_input.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace lethe {

namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 17;

Status CannotRead(const std::string& name, int error) {
  if (error == EINTR) return {ErrorCode::kInterrupted, "interrupted while reading " + name};
  return {ErrorCode::kInput, "cannot read " + name + ": " + std::generic_category().message(error)};
}

}  // namespace

Result<std::unique_ptr<RawInput>> RawInput::Open(const std::string& path) {
  const bool is_standard_input = path == "-";
  const std::string name = is_standard_input ? "standard input" : path;
  const int file = is_standard_input ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return CannotRead(name, errno);
  std::unique_ptr<RawInput> input(new RawInput(name, file, !is_standard_input));
  struct stat info = {};
  if (fstat(file, &info) != 0) return CannotRead(name, errno);
  if (S_ISDIR(info.st_mode)) return CannotRead(name, EISDIR);
  if (S_ISREG(info.st_mode)) input->size_ = info.st_size;
  return input;
}

RawInput::RawInput(std::string name, int file, bool owned)
    : name_(std::move(name)), file_(file), owned_(owned), buffer_(kBufferBytes) {}

RawInput::~RawInput() {
  if (owned_) close(file_);
}

void RawInput::Consume(std::size_t count) {
  LETHE_CHECK(count <= end_ - begin_);
  begin_ += count;
  position_ += static_cast<std::int64_t>(count);
}

Status RawInput::Fill() {
  std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  LETHE_CHECK(end_ < buffer_.size());
  const ssize_t count = read(file_, buffer_.data() + end_, buffer_.size() - end_);
  if (count < 0) return CannotRead(name_, errno);
  at_end_ = count == 0;
  end_ += static_cast<std::size_t>(count);
  return Status::Ok();
}

Result<std::size_t> RawInput::ReadInto(std::span<char> out) {
  LETHE_CHECK(begin_ == end_);
  if (at_end_) return std::size_t{0};
  // Small pieces, so that the bytes are still in the processor's cache when they are parsed.
  const ssize_t count = read(file_, out.data(), std::min(out.size(), kBufferBytes));
  if (count < 0) return CannotRead(name_, errno);
  at_end_ = count == 0;
  position_ += count;
  return static_cast<std::size_t>(count);
}

}  // namespace lethe
