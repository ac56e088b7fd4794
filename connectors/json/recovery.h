#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace lethe {

// The slow path of the JSON codec: what can still be said of text that simdjson refuses. Neither
// function trusts its input in any way; both are linear in its length.

// Whether a "type" is delete, or is meant to be: in other letter case, or another word for it. Only
// "delete" is a delete; all else is refused as a request, so that it gets a receipt.
bool MeansDelete(std::string_view type);

// Whether text that is not JSON, or too large to parse, still shows that it was meant as a delete:
// its object has a "type" that means delete before it breaks off. A deletion request must not drown
// among the broken learn events. In a recorded line (`envelope`) the "value" is looked into as
// well, and a null one is a tombstone.
bool LooksLikeDelete(std::string_view text, bool envelope);

// What WidenNumbers writes for a number that no double can hold.
inline constexpr double kOverflowed = std::numeric_limits<double>::max();

// Rewrites the numbers that are JSON but that simdjson refuses: integers above 64 bits become
// doubles, numbers above the largest double become kOverflowed. Returns the number of rewrites,
// and leaves everything else, and what is no JSON, as it is.
std::size_t WidenNumbers(std::string_view text, std::string& widened);

}  // namespace lethe
