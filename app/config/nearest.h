#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lethe {

// How many insertions, deletions, replacements and swaps of neighbours turn one word into the
// other (Damerau-Levenshtein in its restricted form: no letter is edited twice).
std::size_t EditDistance(std::string_view a, std::string_view b);

// The word of `known` that is most likely meant by `word`, for "did you mean ...?". None if no word
// is close, because a far-fetched suggestion misleads more than it helps. Capitals count as small
// letters and '-' as '_'. One edit in three letters is close, and so is the beginning of a word
// ("dim" for dimension). Of two equally close words the first is returned.
std::optional<std::string> Nearest(std::string_view word, std::span<const std::string> known);

}  // namespace lethe
