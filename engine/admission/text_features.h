#pragma once

#include <string_view>

#include "engine/ports/event.h"
#include "engine/spec/spec.h"

namespace lethe {

// Appends the words of a text as features NAME^WORD with the value 1, in the order of the text, and
// with kNgrams after each word but the first also NAME^PREVIOUS WORD. A word is a run of ASCII
// letters, digits and bytes above 127, with A to Z in lower case. A word that occurs k times is
// appended k times, and hashing adds the values up.
//
// Returns false, with `features` unspecified, if there would be more than `most` features.
// Thread-safe.
bool AppendTextFeatures(TextFeatures kind, std::string_view name, std::string_view text,
                        std::size_t most, NamedValues& features);

}  // namespace lethe
