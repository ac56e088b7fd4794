#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

namespace lethe {

// A parsed document. Valid until the parser parses again.
struct ParsedText {
  simdjson::dom::element root;
  double bound = 0;  // a number of this magnitude or above was too large for a double
};

// Parses one JSON text after the other, in buffers that are reused. The whole text is validated:
// UTF-8, structure, the nesting depth, nothing behind it. What a text means does not depend on the
// texts before it. Numbers of any size are JSON, and parse. Not thread-safe.
class TextParser {
 public:
  explicit TextParser(std::size_t max_depth);

  simdjson::error_code Parse(std::string_view text, ParsedText& parsed);

 private:
  simdjson::error_code ParseAsItIs(std::string_view text, simdjson::dom::element& root);

  simdjson::dom::parser parser_;
  std::vector<char> padded_;  // the text, and what the parser may read behind it
  std::string widened_;
};

// Says in a few words why a text did not parse.
const char* DescribeParseError(simdjson::error_code error);

}  // namespace lethe
