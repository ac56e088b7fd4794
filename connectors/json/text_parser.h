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
  double bound = 0;  // a number of this magnitude or above did not fit a double in the text
};

// A JSON parser on simdjson that reuses its buffers from text to text. It validates the whole text:
// UTF-8, structure, nesting depth, and that nothing follows the document. The result does not
// depend on earlier texts. Numbers of any size parse.
//
// Not thread-safe. The parser copies the text, and the parsed document borrows from the parser.
// After an error the next text can be parsed.
class TextParser {
 public:
  explicit TextParser(std::size_t max_depth);

  // Parses `text` into `parsed`, which is valid until the next call. SUCCESS, or why the text is
  // not a JSON document.
  simdjson::error_code Parse(std::string_view text, ParsedText& parsed);

 private:
  simdjson::error_code ParseAsItIs(std::string_view text, simdjson::dom::element& root);

  simdjson::dom::parser parser_;
  std::vector<char> padded_;  // the text, and the padding that the parser may read after it
  std::string widened_;
};

// A short description of a parse error. Never quotes the text.
const char* DescribeParseError(simdjson::error_code error);

}  // namespace lethe
