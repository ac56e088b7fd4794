#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/ports/event.h"
#include "engine/ports/learn_view.h"

namespace lethe {

// How the usual learn event begins.
inline constexpr std::string_view kCanonicalLearn = R"({"type":"learn",)";

// The fast way for the shape that most learn events have:
//
//   {"type":"learn","id":"...","subject":"...","x":[...],"y":...}
//
// in this order, without white space, id and subject optional, texts without escapes and in ASCII.
// Fills `event` just as the general way would (event_reader.h), bit for bit, and returns true; or
// returns false for everything else, also for all that is to be refused, and then `event` may hold
// anything.
bool ReadCanonicalLearn(std::string_view text, const std::optional<std::string_view>& key,
                        Event& event);

// The same, with nothing copied: id and subject stay in the text and the key, and the numbers are
// in `x`. An id that is empty is none.
bool ReadCanonicalLearn(std::string_view text, const std::optional<std::string_view>& key,
                        std::vector<double>& x, LearnView& learn);

}  // namespace lethe
