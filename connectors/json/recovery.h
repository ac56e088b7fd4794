#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace lethe {

// The recovery path of the JSON codec, for text that simdjson refuses. The functions assume nothing
// about their input, take time linear in its length, and are thread-safe.

// Whether a "type" means delete: the word itself in any letter case, or a synonym. Only "delete" is
// accepted as a delete. The others are rejected as requests, so that they get a receipt.
bool MeansDelete(std::string_view type);

// Whether text that is not JSON, or too large to parse, was recognisably meant as a delete: its
// object has a "type" that means delete before it breaks off. A broken deletion request must not be
// counted among the broken learn events. With `envelope` the text is a line of a recording: its
// "value" is searched too, and a null "value" is a tombstone.
bool LooksLikeDelete(std::string_view text, bool envelope);

// What WidenNumbers writes for a number that no double can hold.
inline constexpr double kOverflowed = std::numeric_limits<double>::max();

// Rewrites the valid JSON numbers that simdjson refuses: an integer above 64 bits becomes a double,
// and a number above the largest double becomes kOverflowed. All other text, JSON or not, is copied
// as it is. Returns the number of rewrites.
std::size_t WidenNumbers(std::string_view text, std::string& widened);

}  // namespace lethe
