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

// The bytes of a file or, for "-", of the standard input, as they are. Reads ahead into one buffer
// of a fixed size. Not thread-safe.
class RawInput {
 public:
  // A kInput error has the reason of the operating system.
  static Result<std::unique_ptr<RawInput>> Open(const std::string& path);
  ~RawInput();
  RawInput(const RawInput&) = delete;
  RawInput& operator=(const RawInput&) = delete;

  // What was read and not consumed yet.
  std::string_view buffered() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void Consume(std::size_t count);

  // Adds to buffered() at least one byte, until `at_end()`. The buffer must not be full. A signal
  // that is caught while waiting for bytes is a kInterrupted error: whoever catches signals wants
  // to stop, and a pipe may stay silent forever.
  Status Fill();
  bool at_end() const { return at_end_; }

  // Reads past the buffer, which must be empty, and consumes: 0 bytes are the end.
  Result<std::size_t> ReadInto(std::span<char> out);

  // Bytes consumed so far, and the size of the file where there is one (a pipe has none).
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
