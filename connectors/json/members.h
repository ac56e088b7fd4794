#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <simdjson.h>

#include "engine/ports/event.h"

namespace lethe {

// The documented members: first those of an event, then those of an envelope. All others are
// ignored.
enum class Field : std::uint8_t {
  kType,
  kId,
  kX,
  kY,
  kF,
  kW,
  kSubject,
  kRequest,
  kCause,
  kKey,  // the first member of an envelope
  kKeyBase64,
  kPartition,
  kOffset,
  kTimestamp,
  kArrival,
  kTimestampType,
  kValue,
  kValueBase64,
  kCount,
};

// The value of "timestamp_type" if the broker set the timestamp. Kafka calls it so.
inline constexpr char kBrokerTimeType[] = "LogAppendTime";

// The documented name, e.g. "partition". Safe to show: it is never a producer's text.
const char* FieldName(Field field);

// An index of the documented members of one JSON object, built in one pass over it. If a member is
// repeated, the last one counts, as in ECMAScript and in most JSON parsers.
//
// Immutable, so it may be read from several threads. Borrows the parsed document: it is invalid as
// soon as the parser parses again.
class Members {
 public:
  explicit Members(const simdjson::dom::object& object);

  // The member, or null when the object has none. Valid as long as this object.
  const simdjson::dom::element* Find(Field field) const;

  // The same for optional members: a member that is null counts as absent, because serialisers
  // write null for absent values.
  const simdjson::dom::element* FindNonNull(Field field) const;

  bool Has(Field field) const { return Find(field) != nullptr; }

  // How many members are not among the documented members of an event. Those of an envelope count,
  // because an event does not use them.
  std::uint32_t unknown_to_events() const { return unknown_; }

  // Whether the member is a string equal to `text`.
  bool Equals(Field field, std::string_view text) const;

 private:
  std::array<simdjson::dom::element, static_cast<std::size_t>(Field::kCount)> elements_;
  std::uint32_t present_ = 0;
  std::uint32_t unknown_ = 0;
};

Rejection Reject(Reason reason, std::string message);
Rejection WrongType(Field field, const std::string& expected);

// Reads a string, or an integer of 64 bits as its decimal text. Returns false for anything else.
bool ReadText(const simdjson::dom::element& element, std::string& text);

// Reads an integer from 0 to `max`. Returns false, and leaves `count` unchanged, for anything else,
// including 12.0.
bool ReadCount(const simdjson::dom::element& element, std::int64_t max, std::int64_t& count);

// Reads a number of magnitude below `bound`, or returns the reason why it is rejected. Inline,
// because it runs once per feature.
inline std::optional<Reason> ReadNumber(const simdjson::dom::element& element, double bound,
                                        double& number) {
  if (element.get(number) != simdjson::SUCCESS) return Reason::kWrongType;
  if (!(std::abs(number) < bound)) return Reason::kNotFinite;
  return std::nullopt;
}

}  // namespace lethe
