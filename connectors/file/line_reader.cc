#include "connectors/file/line_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace lethe {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kReadBytes = std::size_t{1} << 20;
constexpr std::size_t kLineEndBytes = 2;

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

}  // namespace

Result<std::unique_ptr<LineReader>> LineReader::Open(const std::string& path,
                                                     std::size_t max_line_bytes) {
  auto input = RawInput::Open(path);
  if (!input.ok()) return input.status();
  return std::unique_ptr<LineReader>(new LineReader(std::move(input).value(), max_line_bytes));
}

// A line at the limit with its end fits, so that no line has to be put together from two places.
LineReader::LineReader(std::unique_ptr<RawInput> input, std::size_t max_line_bytes)
    : input_(std::move(input)),
      max_line_bytes_(max_line_bytes),
      buffer_(std::max(kReadBytes, max_line_bytes + kLineEndBytes)) {}

Result<bool> LineReader::Next(Line& line) {
  LETHE_RETURN_IF_ERROR(failed_);
  for (;;) {
    const auto found = NextLine(line);
    if (!found.ok()) {
      failed_ = At(found.status());
      return failed_;
    }
    if (!found.value()) return false;
    if (line.too_long || !IsBlank(line.text)) return true;
  }
}

Status LineReader::At(const Status& error) const {
  const std::int64_t line = in_long_line_ ? line_number_ : line_number_ + 1;
  return {error.code(), name() + ", line " + std::to_string(line) + ", byte " +
                            std::to_string(bytes_read()) + " of the file: " + error.message()};
}

Result<bool> LineReader::NextLine(Line& line) {
  if (decoder_ == nullptr) LETHE_RETURN_IF_ERROR(Start());
  LETHE_RETURN_IF_ERROR(SkipRestOfLine());
  std::size_t searched = 0;
  std::size_t length = std::string_view::npos;
  while ((length = pending().find('\n', searched)) == std::string_view::npos) {
    searched = pending().size();
    if (at_end_ || searched >= max_line_bytes_ + kLineEndBytes) break;
    LETHE_RETURN_IF_ERROR(Fill());
  }
  if (pending().empty()) return false;
  const bool ends = length != std::string_view::npos;
  std::string_view text = pending().substr(0, length);
  in_long_line_ = !ends && !at_end_;
  begin_ += text.size() + (ends ? 1 : 0);
  if (text.ends_with('\r')) text.remove_suffix(1);
  line.too_long = in_long_line_ || text.size() > max_line_bytes_;
  line.text = text.substr(0, max_line_bytes_ + 1);
  line.number = ++line_number_;
  return true;
}

Status LineReader::Start() {
  auto decoder = MakeDecoder(*input_);
  if (!decoder.ok()) return decoder.status();
  decoder_ = std::move(decoder).value();
  while (pending().size() < kByteOrderMark.size() && !at_end_) LETHE_RETURN_IF_ERROR(Fill());
  if (pending().starts_with(kByteOrderMark)) begin_ += kByteOrderMark.size();
  return Status::Ok();
}

Status LineReader::SkipRestOfLine() {
  while (in_long_line_) {
    const std::size_t end = pending().find('\n');
    if (end != std::string_view::npos) {
      begin_ += end + 1;
      in_long_line_ = false;
    } else if (at_end_) {
      begin_ = end_;
      in_long_line_ = false;
    } else {
      begin_ = end_;
      LETHE_RETURN_IF_ERROR(Fill());
    }
  }
  return Status::Ok();
}

// Reads more behind what is pending, which may move for it.
Status LineReader::Fill() {
  if (begin_ == end_ || end_ == buffer_.size()) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  LETHE_CHECK(end_ < buffer_.size());
  const auto count = decoder_->Read({buffer_.data() + end_, buffer_.size() - end_});
  if (!count.ok()) return count.status();
  end_ += count.value();
  at_end_ = count.value() == 0;
  return Status::Ok();
}

}  // namespace lethe
