#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/config/nearest.h"
#include "app/config/text.h"
#include "engine/base/status.h"
#include "engine/spec/spec.h"

// The kinds of value that a key can have. A kind knows how its values are read, printed, described
// to people and described to editors, so that the table of keys says each thing once.
namespace lethe::config {

// A kind of value. Copied into the fields that use it; its functions may be called from any thread.
template <typename T>
struct Kind {
  std::string allowed;                                 // for people: "a number above 0"
  std::string schema;                                  // for editors: a JSON Schema
  std::function<Result<T>(const std::string&)> parse;  // the message continues "'text' ..."
  std::function<std::string(const T&)> print;          // as it would stand in a file
  std::vector<std::string> words = {};                 // words for "did you mean"
  bool nullable = false;                               // null is T{}
};

// Bounds of a number. By default: above 0.
struct Range {
  double least = 0;
  bool above = true;  // `least` itself is not allowed
  double most = std::numeric_limits<double>::max();
  bool below = false;    // `most` itself is not allowed
  std::string why = {};  // what would go wrong at the lower end
};

inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

Kind<double> Number(Range range);
Kind<std::int64_t> Integer(std::int64_t least, std::int64_t most = kNoLimit);
Kind<std::uint64_t> Unsigned();
Kind<bool> Boolean();
Kind<std::int64_t> DurationMs(std::int64_t least_ms);
Kind<Wait> EventsOrTime();
Kind<Retention> RetainedEvents();  // auto, all, a number of events, or a duration
Kind<ShrinkSpec> GuessOfNorm();    // auto, off, or a number above 0

Kind<std::string> Text(std::string allowed);  // anything but the empty text
Kind<std::string> Identifier(std::string allowed);
Kind<std::string> Topic();          // what Kafka takes for a topic's name
Kind<std::string> ListenAddress();  // host:port
Kind<std::string> Brokers();        // host:port, separated by commas
Kind<std::string> Word(std::vector<std::string> words);

Status IsUnknown();
std::string OneOf(const std::vector<std::string>& words);
std::string EnumSchema(const std::vector<std::string>& words);

// One of `values`, written as Name() says. `also` is a second way to write the last of them.
template <typename Enum>
Kind<Enum> Choice(std::vector<Enum> values, const std::string& also = {}) {
  std::vector<std::string> words;
  for (Enum value : values) words.push_back(Name(value));
  const std::string allowed = OneOf(words) + (also.empty() ? "" : " (also: " + also + ")");
  if (!also.empty()) {
    words.push_back(also);
    values.push_back(values.back());
  }
  const auto parse = [words, values](const std::string& text) -> Result<Enum> {
    for (std::size_t i = 0; i < words.size(); ++i) {
      if (words[i] == text) return values[i];
    }
    return IsUnknown();
  };
  return {allowed, EnumSchema(words), parse, [](Enum value) { return Name(value); }, words};
}

// Like `kind`, but the error for this word says why it is not allowed.
template <typename T>
Kind<T> Without(Kind<T> kind, const std::string& word, const std::string& why) {
  kind.parse = [parse = kind.parse, word, why](const std::string& text) -> Result<T> {
    if (text == word) return Status(ErrorCode::kConfig, "is not possible: " + why);
    return parse(text);
  };
  return kind;
}

// Either the word, which stands for "none given", or a value.
template <typename T>
Kind<std::optional<T>> OrWord(Kind<T> kind, const std::string& word) {
  const auto parse = [kind, word](const std::string& text) -> Result<std::optional<T>> {
    if (text == word) return std::optional<T>();
    Result<T> value = kind.parse(text);
    if (!value.ok()) return value.status();
    return std::optional<T>(std::move(value).value());
  };
  const auto print = [kind, word](const std::optional<T>& value) {
    return value ? kind.print(*value) : word;
  };
  return {word + ", or " + kind.allowed,
          "{\"anyOf\": [" + EnumSchema({word}) + ", " + kind.schema + "]}",
          parse,
          print,
          {word}};
}

// Either null or a value.
template <typename T>
Kind<std::optional<T>> OrNull(Kind<T> kind) {
  const auto parse = [kind](const std::string& text) -> Result<std::optional<T>> {
    Result<T> value = kind.parse(text);
    if (!value.ok()) return value.status();
    return std::optional<T>(std::move(value).value());
  };
  const auto print = [kind](const std::optional<T>& value) {
    return value ? kind.print(*value) : "null";
  };
  return {kind.allowed, kind.schema, parse, print, kind.words, true};
}

// For a member that is 0 when nothing is given.
Kind<std::int64_t> ZeroIsNull(Kind<std::int64_t> kind);

}  // namespace lethe::config
