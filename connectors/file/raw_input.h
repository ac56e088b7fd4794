#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

namespace lethe {

// An input of the bytes of a file or, for "-", of the standard input, with one buffer of a fixed
// size. Not thread-safe. It owns the descriptor, except that of the standard input. After an error
// it may be read again, as far as the operating system allows.
class RawInput {
 public:
  // kInput, with the reason of the operating system, when the file cannot be opened or is a folder.
  static Result<std::unique_ptr<RawInput>> Open(const std::string& path);
  ~RawInput();
  RawInput(const RawInput&) = delete;
  RawInput& operator=(const RawInput&) = delete;

  // The bytes that were read and not consumed. Invalid after the next Fill.
  std::string_view buffered() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void Consume(std::size_t count);

  // Adds at least one byte to buffered(), or sets at_end(). The buffer must not be full. A signal
  // that is caught while waiting is a kInterrupted error, because a program catches signals in
  // order to stop, and a pipe may stay silent forever.
  Status Fill();
  bool at_end() const { return at_end_; }

  // Reads directly into `out` and consumes these bytes. The buffer must be empty. Returns the
  // number of bytes; 0 is the end. Errors are those of Fill.
  Result<std::size_t> ReadInto(std::span<char> out);

  // The number of bytes consumed so far, and the size of the file; a pipe has none.
  std::int64_t position() const { return position_; }
  std::optional<std::int64_t> size() const { return size_; }

  // The path, or "standard input".
  const std::string& name() const { return name_; }

 private:
  RawInput(std::string name, int file, bool owned);

  const std::string name_;
  const int file_;
  const bool owned_;
  std::optional<std::int64_t> size_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::int64_t position_ = 0;
  bool at_end_ = false;
};

}  // namespace lethe
