#include "connectors/json/recovery.h"

#include <algorithm>
#include <iterator>

#include <simdjson.h>

namespace lethe {

namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// The position after the string that opens at `open`, or text.size() when the string does not end.
std::size_t EndOfString(std::string_view text, std::size_t open) {
  for (std::size_t i = open + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return text.size();
}

// A string without its quotation marks. The closing one may be missing.
std::string_view Unquoted(std::string_view token) {
  token.remove_prefix(1);
  if (token.ends_with('"')) token.remove_suffix(1);
  return token;
}

std::size_t SkipSpace(std::string_view text, std::size_t i) {
  while (i < text.size() && IsSpace(text[i])) ++i;
  return i;
}

std::size_t SkipDigits(std::string_view text, std::size_t i) {
  while (i < text.size() && IsDigit(text[i])) ++i;
  return i;
}

// The position after the longest run of characters that can occur in a number.
std::size_t EndOfNumber(std::string_view text, std::size_t i) {
  constexpr std::string_view kNumberCharacters = "0123456789+-.eE";
  const std::size_t end = text.find_first_not_of(kNumberCharacters, i);
  return end == std::string_view::npos ? text.size() : end;
}

enum class Number { kNone, kInteger, kReal };

// The kind of number by the grammar of RFC 8259, section 6; kNone for anything else.
Number Classify(std::string_view token) {
  std::size_t i = token.starts_with('-') ? 1 : 0;
  const std::size_t digits = SkipDigits(token, i) - i;
  if (digits == 0 || (digits > 1 && token[i] == '0')) return Number::kNone;
  i += digits;
  if (i == token.size()) return Number::kInteger;
  if (token[i] == '.') {
    const std::size_t end = SkipDigits(token, i + 1);
    if (end == i + 1) return Number::kNone;
    i = end;
  }
  if (i < token.size() && (token[i] == 'e' || token[i] == 'E')) {
    ++i;
    if (i < token.size() && (token[i] == '+' || token[i] == '-')) ++i;
    const std::size_t end = SkipDigits(token, i);
    if (end == i) return Number::kNone;
    i = end;
  }
  return i == token.size() ? Number::kReal : Number::kNone;
}

// Asks the parser itself, so that this path and the fast path cannot disagree about a number.
bool Parses(simdjson::dom::parser& parser, const std::string& number) {
  return parser.parse(number).error() == simdjson::SUCCESS;
}

// Appends `token`, rewritten if the parser refuses it. Returns whether it was rewritten.
bool AppendNumber(simdjson::dom::parser& parser, std::string token, std::string& out) {
  const Number kind = Classify(token);
  bool rewritten = false;
  if (kind != Number::kNone && !Parses(parser, token)) {
    rewritten = true;
    if (kind == Number::kInteger) token += "e0";
    if (!Parses(parser, token)) token = "1.7976931348623157e308";
  }
  out += token;
  return rewritten;
}

}  // namespace

bool MeansDelete(std::string_view type) {
  constexpr std::string_view kWords[] = {"delete", "erase",   "forget",
                                         "remove", "unlearn", "tombstone"};
  const auto is_same = [](char a, char b) {
    return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
  };
  return std::any_of(std::begin(kWords), std::end(kWords), [&](std::string_view word) {
    return std::equal(type.begin(), type.end(), word.begin(), word.end(), is_same);
  });
}

// A scanner that follows strings and nesting only. The members of an event are at depth 1, or at
// depth 2 inside the "value" of an envelope; a "type" anywhere else is ignored. The last "type"
// wins, as in the parser. One pass over the text.
bool LooksLikeDelete(std::string_view text, bool envelope) {
  int depth = 0;
  bool in_value = false;
  bool is_delete = false;
  std::string_view name;  // the name of the member whose value comes next, with its quotes
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    const bool at_member = depth == 1 || (depth == 2 && in_value);
    if (c == '"') {
      const std::size_t end = EndOfString(text, i);
      const std::string_view token = text.substr(i, end - i);
      i = SkipSpace(text, end);
      if (i < text.size() && text[i] == ':') {
        name = token;
        ++i;
      } else {
        if (at_member && name == R"("type")") is_delete = MeansDelete(Unquoted(token));
        name = {};
      }
      continue;
    }
    const bool is_value = envelope && depth == 1 && name == R"("value")";
    if (is_value && text.substr(i).starts_with("null")) is_delete = true;
    if (c == '{' || c == '[') {
      if (is_value) in_value = true;
      ++depth;
    } else if (c == '}' || c == ']') {
      --depth;
      if (depth <= 1) in_value = false;
    }
    if (!IsSpace(c)) name = {};
    ++i;
  }
  return is_delete;
}

std::size_t WidenNumbers(std::string_view text, std::string& widened) {
  simdjson::dom::parser parser;
  std::size_t rewrites = 0;
  widened.clear();
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i + 1;
    if (text[i] == '"') {
      end = EndOfString(text, i);
    } else if (text[i] == '-' || IsDigit(text[i])) {
      end = EndOfNumber(text, i);
      rewrites += AppendNumber(parser, std::string(text.substr(i, end - i)), widened) ? 1 : 0;
      i = end;
      continue;
    }
    widened.append(text, i, end - i);
    i = end;
  }
  return rewrites;
}

}  // namespace lethe
