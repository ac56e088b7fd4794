#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "connectors/file/decoded_input.h"
#include "engine/base/status.h"

namespace lethe {

// Reads the lines of a file or, for "-", of the standard input: plain, gzip or Zstandard.
//
// Lines end with LF or CR LF; the last one need not end. Lines of white space only are skipped, but
// counted. A byte order mark of UTF-8 at the beginning is skipped. Memory is bounded by the limit
// on lines, however long they are. Not thread-safe.
class LineReader {
 public:
  static constexpr std::size_t kDefaultMaxLineBytes = std::size_t{1} << 20;

  struct Line {
    // Without its end. Of a line above the limit: the first max_line_bytes + 1 bytes, so that it is
    // still seen to be above. Valid until the next call.
    std::string_view text;
    std::int64_t number = 0;  // from 1
    bool too_long = false;
  };

  // A file that cannot be opened is a kInput error with the reason of the operating system.
  static Result<std::unique_ptr<LineReader>> Open(
      const std::string& path, std::size_t max_line_bytes = kDefaultMaxLineBytes);

  // The lines of an input of which nothing was consumed yet.
  LineReader(std::unique_ptr<DecodedInput> input, std::size_t max_line_bytes);

  // Returns false at the end. A file that cannot be read on, or whose compressed data is truncated
  // or corrupt, is a kInput error with the name, the line, and the byte in the file as it is on
  // disk. The error comes after all lines that were complete before it, and then stays. For
  // kInterrupted see RawInput.
  Result<bool> Next(Line& line);

  // Bytes of the file used so far, and in total where that is known: for a display of progress.
  std::int64_t bytes_read() const { return input_->bytes_read(); }
  std::optional<std::int64_t> bytes_total() const { return input_->bytes_total(); }
  const std::string& name() const { return input_->name(); }

 private:
  Status SkipByteOrderMark();
  Result<bool> NextLine(Line& line);
  Status SkipRestOfLine();
  // The error, with the place where reading stopped.
  Status At(const Status& error) const;

  const std::unique_ptr<DecodedInput> input_;
  const std::size_t max_line_bytes_;
  std::int64_t line_number_ = 0;
  bool is_started_ = false;
  bool in_long_line_ = false;  // reported already, the rest is still to be skipped
  Status failed_;
};

}  // namespace lethe
