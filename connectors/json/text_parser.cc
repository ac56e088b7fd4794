#include "connectors/json/text_parser.h"

#include <cstring>
#include <limits>

#include "connectors/json/recovery.h"
#include "engine/base/check.h"

namespace lethe {

namespace {

// Enough for a usual record, so that the buffers do not grow step by step with the first records.
constexpr std::size_t kInitialCapacity = std::size_t{1} << 14;

}  // namespace

TextParser::TextParser(std::size_t max_depth) {
  LETHE_CHECK(parser_.allocate(kInitialCapacity, max_depth) == simdjson::SUCCESS);
}

simdjson::error_code TextParser::Parse(std::string_view text, ParsedText& parsed) {
  parsed.bound = std::numeric_limits<double>::infinity();
  simdjson::error_code error = ParseAsItIs(text, parsed.root);
  if (error == simdjson::NUMBER_ERROR && WidenNumbers(text, widened_) > 0) {
    parsed.bound = kOverflowed;
    error = ParseAsItIs(widened_, parsed.root);
  }
  return error;
}

simdjson::error_code TextParser::ParseAsItIs(std::string_view text, simdjson::dom::element& root) {
  if (text.empty()) return simdjson::EMPTY;
  if (padded_.size() < text.size() + simdjson::SIMDJSON_PADDING) {
    padded_.resize(text.size() + simdjson::SIMDJSON_PADDING);
  }
  std::memcpy(padded_.data(), text.data(), text.size());
  std::memset(padded_.data() + text.size(), 0, simdjson::SIMDJSON_PADDING);
  const simdjson::error_code error = parser_.parse(padded_.data(), text.size(), false).get(root);
  LETHE_CHECK(error != simdjson::MEMALLOC && error != simdjson::CAPACITY);
  return error;
}

const char* DescribeParseError(simdjson::error_code error) {
  switch (error) {
    case simdjson::EMPTY: return "there is nothing but white space";
    case simdjson::UTF8_ERROR: return "not valid UTF-8";
    case simdjson::DEPTH_ERROR: return "nested too deep";
    case simdjson::NUMBER_ERROR: return "not JSON: a number is not written as JSON has it";
    case simdjson::STRING_ERROR: return "not JSON: a string has a bad escape";
    case simdjson::UNCLOSED_STRING: return "not JSON: a string does not end";
    case simdjson::UNESCAPED_CHARS: return "not JSON: a string has a bare control character";
    default: return "not JSON, or cut off";
  }
}

}  // namespace lethe
