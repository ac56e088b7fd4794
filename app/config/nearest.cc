#include "app/config/nearest.h"

#include <algorithm>
#include <vector>

namespace lethe {
namespace {

// A longer word is not a typing error. The limit also bounds the work, which grows quadratically.
constexpr std::size_t kLongest = 64;
constexpr std::size_t kShortestBeginning = 3;

std::string Fold(std::string_view word) {
  std::string folded(word);
  for (char& letter : folded) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    if (letter == '-') letter = '_';
  }
  return folded;
}

std::size_t Tolerated(std::size_t length) { return std::max<std::size_t>(1, length / 3); }

std::optional<std::string> Completed(const std::string& beginning,
                                     std::span<const std::string> known) {
  if (beginning.size() < kShortestBeginning) return std::nullopt;
  for (const std::string& word : known) {
    if (Fold(word).starts_with(beginning)) return word;
  }
  return std::nullopt;
}

}  // namespace

std::size_t EditDistance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: before[j] is the distance of a[0, i-1) and b[0, j), and so on.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::optional<std::string> Nearest(std::string_view word, std::span<const std::string> known) {
  if (word.empty() || word.size() > kLongest) return std::nullopt;
  const std::string folded = Fold(word);
  std::optional<std::string> nearest;
  std::size_t least = kLongest;
  for (const std::string& candidate : known) {
    const std::size_t distance = EditDistance(folded, Fold(candidate));
    const std::size_t limit = Tolerated(std::max(word.size(), candidate.size()));
    // A word with no letter in common is another word, however short both are.
    const bool close = distance <= limit && distance < std::max(word.size(), candidate.size());
    if (close && distance < least) {
      nearest = candidate;
      least = distance;
    }
  }
  return nearest ? nearest : Completed(folded, known);
}

}  // namespace lethe
