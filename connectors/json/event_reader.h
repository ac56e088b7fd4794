#pragma once

#include <optional>
#include <string_view>

#include <simdjson.h>

#include "connectors/json/members.h"
#include "engine/ports/event.h"

namespace lethe {

// The general path from a parsed JSON value to an event, by the rules that JsonEventCodec
// documents. The functions keep no state. They borrow the parsed document for the call only.

// Whether the value of a message is meant as a delete, even if it must be rejected. Null is a
// tombstone and therefore a delete.
bool IsDelete(const simdjson::dom::element& value);

// Reads the value into `event` and sets every member of it. A number of magnitude `bound` or above
// is rejected as kNotFinite. After a rejection `event` is unspecified.
std::optional<Rejection> ReadEvent(const simdjson::dom::element& value, double bound,
                                   std::optional<std::string_view> key, Event& event);

// The same for a value that is known to be an object with these members.
std::optional<Rejection> ReadEvent(const Members& members, double bound,
                                   std::optional<std::string_view> key, Event& event);

// Makes a tombstone's event: a delete of the key. A tombstone without a key is rejected.
std::optional<Rejection> ReadTombstone(std::optional<std::string_view> key, Event& event);

}  // namespace lethe
