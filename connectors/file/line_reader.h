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

// A reader of the lines of a file or, for "-", of the standard input: plain, gzip or Zstandard.
//
// A line ends with LF or CR LF; the last one may lack it. Lines of white space only are skipped but
// counted. A UTF-8 byte order mark at the beginning is skipped. Memory is bounded by the limit on
// lines, whatever the file holds. Not thread-safe.
class LineReader {
 public:
  static constexpr std::size_t kDefaultMaxLineBytes = std::size_t{1} << 20;

  struct Line {
    // The line without its end. If it exceeds the limit: the first max_line_bytes + 1 bytes, so
    // that a codec with the same limit rejects it. Valid until the next call, or longer with
    // DecodedInput::holder.
    std::string_view text;
    std::int64_t number = 0;  // from 1
    bool too_long = false;
  };

  // kInput, with the reason of the operating system, when the file cannot be opened.
  static Result<std::unique_ptr<LineReader>> Open(
      const std::string& path, std::size_t max_line_bytes = kDefaultMaxLineBytes);

  // Reads the lines of an input of which nothing was consumed yet.
  LineReader(std::unique_ptr<DecodedInput> input, std::size_t max_line_bytes);

  // Reads the next line. Returns false at the end. kInput, with the name, the line and the byte of
  // the file on disk, when the file cannot be read or its compressed data is truncated or corrupt.
  // All lines that were complete before the error are returned first; every later call returns the
  // same error. For kInterrupted see RawInput.
  Result<bool> Next(Line& line);

  // For a progress display: bytes of the file used so far, and its size if that is known.
  std::int64_t bytes_read() const { return input_->bytes_read(); }
  std::optional<std::int64_t> bytes_total() const { return input_->bytes_total(); }
  const std::string& name() const { return input_->name(); }

 private:
  Status SkipByteOrderMark();
  Result<bool> NextLine(Line& line);
  Status SkipRestOfLine();
  // The error with the position at which reading stopped.
  Status At(const Status& error) const;

  const std::unique_ptr<DecodedInput> input_;
  const std::size_t max_line_bytes_;
  std::int64_t line_number_ = 0;
  bool is_started_ = false;
  bool in_long_line_ = false;  // a long line was returned, and its rest is not yet skipped
  Status failed_;
};

}  // namespace lethe
