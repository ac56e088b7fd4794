#include "connectors/file/line_reader.h"

#include <utility>

namespace lethe {

namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
constexpr std::size_t kLineEndBytes = 2;

bool IsBlank(std::string_view line) { return line.find_first_not_of(" \t\r") == line.npos; }

}  // namespace

Result<std::unique_ptr<LineReader>> LineReader::Open(const std::string& path,
                                                     std::size_t max_line_bytes) {
  auto input = DecodedInput::Open(path);
  if (!input.ok()) return input.status();
  return std::make_unique<LineReader>(std::move(input).value(), max_line_bytes);
}

// The buffer has room for the longest line and its end, so no line is ever split between two
// buffers.
LineReader::LineReader(std::unique_ptr<DecodedInput> input, std::size_t max_line_bytes)
    : input_(std::move(input)), max_line_bytes_(max_line_bytes) {
  input_->Reserve(max_line_bytes + kLineEndBytes);
}

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
  if (error.code() == ErrorCode::kInterrupted) return error;
  const std::int64_t line = in_long_line_ ? line_number_ : line_number_ + 1;
  return {error.code(), name() + ", line " + std::to_string(line) + ", byte " +
                            std::to_string(bytes_read()) + " of the file: " + error.message()};
}

Result<bool> LineReader::NextLine(Line& line) {
  if (!is_started_) LETHE_RETURN_IF_ERROR(SkipByteOrderMark());
  LETHE_RETURN_IF_ERROR(SkipRestOfLine());
  std::size_t searched = 0;
  std::size_t length = std::string_view::npos;
  while ((length = input_->pending().find('\n', searched)) == std::string_view::npos) {
    searched = input_->pending().size();
    if (input_->at_end() || searched >= max_line_bytes_ + kLineEndBytes) break;
    LETHE_RETURN_IF_ERROR(input_->Fill());
  }
  if (input_->pending().empty()) return false;
  const bool ends = length != std::string_view::npos;
  std::string_view text = input_->pending().substr(0, length);
  in_long_line_ = !ends && !input_->at_end();
  input_->Consume(text.size() + (ends ? 1 : 0));
  if (text.ends_with('\r')) text.remove_suffix(1);
  line.too_long = in_long_line_ || text.size() > max_line_bytes_;
  line.text = text.substr(0, max_line_bytes_ + 1);
  line.number = ++line_number_;
  return true;
}

Status LineReader::SkipByteOrderMark() {
  LETHE_RETURN_IF_ERROR(input_->Require(kByteOrderMark.size()));
  if (input_->pending().starts_with(kByteOrderMark)) input_->Consume(kByteOrderMark.size());
  is_started_ = true;
  return Status::Ok();
}

Status LineReader::SkipRestOfLine() {
  while (in_long_line_) {
    const std::size_t end = input_->pending().find('\n');
    if (end != std::string_view::npos) {
      input_->Consume(end + 1);
      in_long_line_ = false;
    } else {
      input_->Consume(input_->pending().size());
      if (input_->at_end()) {
        in_long_line_ = false;
      } else {
        LETHE_RETURN_IF_ERROR(input_->Fill());
      }
    }
  }
  return Status::Ok();
}

}  // namespace lethe
