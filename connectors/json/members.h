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

// The members of an event or an envelope that mean something. All others are ignored.
enum class Field : std::uint8_t {
  kType,
  kId,
  kX,
  kY,
  kF,
  kSubject,
  kRequest,
  kCause,
  kKey,
  kKeyBase64,
  kPartition,
  kOffset,
  kTimestamp,
  kArrival,
  kValue,
  kValueBase64,
  kCount,
};

// The documented name, e.g. "partition". Safe to show: it is never a producer's text.
const char* FieldName(Field field);

// The known members of one JSON object, found in one pass over it. Of a member that is given twice
// the last one counts, as in ECMAScript and in the JSON parsers of most producers' languages.
//
// Refers into the parsed document, and is void as soon as the parser parses again.
class Members {
 public:
  explicit Members(const simdjson::dom::object& object);

  // The member, or null when the object has none.
  const simdjson::dom::element* Find(Field field) const;

  // The same for optional members: serialisers write null for what is not there.
  const simdjson::dom::element* FindNonNull(Field field) const;

  bool Has(Field field) const { return Find(field) != nullptr; }

  // Whether the member is a string equal to `text`.
  bool Equals(Field field, std::string_view text) const;

 private:
  std::array<simdjson::dom::element, static_cast<std::size_t>(Field::kCount)> elements_;
  std::uint32_t present_ = 0;
};

Rejection Reject(Reason reason, std::string message);
Rejection WrongType(Field field, const std::string& expected);

// Reads a string, or an integer of 64 bits as its decimal text. False: it is neither.
bool ReadText(const simdjson::dom::element& element, std::string& text);

// Reads an integer from 0 to `max`. False: it is anything else, 12.0 included.
bool ReadCount(const simdjson::dom::element& element, std::int64_t max, std::int64_t& count);

// Reads a number of magnitude below `bound`. Otherwise says why not. Inline, since it runs once per
// feature.
inline std::optional<Reason> ReadNumber(const simdjson::dom::element& element, double bound,
                                        double& number) {
  if (element.get(number) != simdjson::SUCCESS) return Reason::kWrongType;
  if (!(std::abs(number) < bound)) return Reason::kNotFinite;
  return std::nullopt;
}

}  // namespace lethe
