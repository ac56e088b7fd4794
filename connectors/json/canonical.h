#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "engine/ports/event.h"
#include "engine/ports/learn_view.h"

namespace lethe {

// The first bytes of a learn event in canonical form.
inline constexpr std::string_view kCanonicalLearn = R"({"type":"learn",)";

// Fast path for learn events in canonical form, which is how most producers write them:
//
//   {"type":"learn","id":"...","subject":"...","x":[...],"y":...,"w":...}
//
// in this order and without white space; id, subject and w are optional, y is a number or the name
// of a class, and texts are ASCII without escapes. On success `event` is equal, bit for bit, to
// what the general path (event_reader.h) would read. Returns false for every other text, including
// every text that must be rejected; `event` is then unspecified, and the caller takes the general
// path.
bool ReadCanonicalLearn(std::string_view text, const std::optional<std::string_view>& key,
                        Event& event);

// The same without copying texts. `learn` borrows id and subject from `text` and `key`, and the
// numbers from `x`; it is valid as long as these are unchanged. An empty id means that the event
// has none.
bool ReadCanonicalLearn(std::string_view text, const std::optional<std::string_view>& key,
                        std::vector<double>& x, LearnView& learn);

}  // namespace lethe
