#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace lethe {

// Makes JSON of any bytes: each byte is a choice. Bytes changed at random hardly ever leave JSON
// behind, so that without this it is the parser that is tested, not what is made of its result.
class JsonRecipe {
 public:
  explicit JsonRecipe(std::string_view choices) : choices_(choices) {}

  // An object of known and unknown members, with values of every kind.
  std::string Object(std::size_t depth = 0) {
    std::string text = "{";
    const std::size_t count = Below(8);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0) text += ',';
      // Mostly the type first, since without one nothing else matters.
      if (i == 0 && Below(8) > 0) {
        text += R"("type":)" + Pick(kTypes);
      } else {
        text += '"' + Pick(kNames) + "\":" + Value(depth);
      }
    }
    return text + '}';
  }

 private:
  static constexpr auto kTypes =
      std::to_array<std::string_view>({R"("learn")", R"("delete")", R"("update")", R"("other")"});
  static constexpr auto kNames = std::to_array<std::string_view>(
      {"id", "x", "f", "y", "w", "subject", "request", "key", "partition", "offset", "timestamp",
       "value", "note", "type", "", "\\u0069d"});
  static constexpr auto kScalars = std::to_array<std::string_view>({"0",
                                                                    "1",
                                                                    "-1",
                                                                    "0.5",
                                                                    "12.0",
                                                                    "-0.0",
                                                                    "1e999",
                                                                    "-1e999",
                                                                    "1e-999",
                                                                    "5e-324",
                                                                    "2147483647",
                                                                    "2147483648",
                                                                    "9007199254740992",
                                                                    "9223372036854775806",
                                                                    "9223372036854775807",
                                                                    "18446744073709551615",
                                                                    "18446744073709551616",
                                                                    "1.7976931348623157e308",
                                                                    "true",
                                                                    "false",
                                                                    "null",
                                                                    R"("")",
                                                                    R"("a")",
                                                                    R"("delete")",
                                                                    R"("\u0000")",
                                                                    R"("\ud83d\ude00")",
                                                                    "\"\xc3\xa9\""});
  static constexpr auto kLengths = std::to_array<std::size_t>({127, 128, 129, 1023, 1024, 1025});

  std::size_t Below(std::size_t bound) {
    if (choices_.empty()) return 0;
    const auto choice = static_cast<unsigned char>(choices_.front());
    choices_.remove_prefix(1);
    return choice % bound;
  }

  template <typename Choices>
  std::string Pick(const Choices& choices) {
    return std::string(choices[Below(choices.size())]);
  }

  std::string Value(std::size_t depth) {
    constexpr std::size_t kMaxDepth = 4;
    switch (depth < kMaxDepth ? Below(6) : 0) {
      case 1: return '"' + std::string(kLengths[Below(kLengths.size())], 'a') + '"';
      case 2: return Object(depth + 1);
      case 3: return Array(depth + 1);
      default: return Pick(kScalars);
    }
  }

  std::string Array(std::size_t depth) {
    std::string text = "[";
    const std::size_t count = Below(4);
    for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? "," : "") + Value(depth);
    return text + ']';
  }

  std::string_view choices_;
};

}  // namespace lethe
