#pragma once

#include <optional>
#include <string_view>

#include <simdjson.h>

#include "connectors/json/members.h"
#include "engine/ports/event.h"

namespace lethe {

// From a parsed value to an event, by the rules that JsonEventCodec documents.

// Whether the value of a message is a delete, a readable one or not. Null is a tombstone.
bool IsDelete(const simdjson::dom::element& value);

// Reads the value into all of `event`. A number of magnitude `bound` or above is not finite.
// After a rejection the event holds anything.
std::optional<Rejection> ReadEvent(const simdjson::dom::element& value, double bound,
                                   std::optional<std::string_view> key, Event& event);

// The same for the members of a value that is an object.
std::optional<Rejection> ReadEvent(const Members& members, double bound,
                                   std::optional<std::string_view> key, Event& event);

// A tombstone: a message that has a key at best.
std::optional<Rejection> ReadTombstone(std::optional<std::string_view> key, Event& event);

}  // namespace lethe
