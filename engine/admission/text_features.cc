#include "engine/admission/text_features.h"

#include <cstdint>
#include <string>

namespace lethe {
namespace {

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

bool IsOfWord(char c) {
  return (c >= 'a' && c <= 'z') || IsUpper(c) || (c >= '0' && c <= '9') ||
         static_cast<std::uint8_t>(c) >= 0x80;
}

std::string InLowerCase(std::string_view word) {
  std::string lower(word);
  for (char& c : lower) {
    if (IsUpper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace

bool AppendTextFeatures(TextFeatures kind, std::string_view name, std::string_view text,
                        std::size_t most, NamedValues& features) {
  const std::string prefix = std::string(name) + '^';
  std::string previous;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = at;
    while (end < text.size() && IsOfWord(text[end])) ++end;
    if (end == at) {
      ++at;
      continue;
    }
    std::string word = InLowerCase(text.substr(at, end - at));
    at = end;
    features.emplace_back(prefix + word, 1);
    if (kind == TextFeatures::kNgrams && !previous.empty()) {
      features.emplace_back(prefix + previous + ' ' + word, 1);
    }
    if (features.size() > most) return false;
    previous = std::move(word);
  }
  return true;
}

}  // namespace lethe
