#include "connectors/json/members.h"

#include <utility>

#include "engine/base/check.h"

namespace lethe {

namespace {

using simdjson::dom::element;
using simdjson::dom::element_type;

constexpr std::size_t kFieldCount = static_cast<std::size_t>(Field::kCount);

// In the order of Field.
constexpr std::array<std::string_view, kFieldCount> kNames = {
    "type",       "id",
    "x",          "y",
    "f",          "w",
    "subject",    "request",
    "cause",      "key",
    "key_base64", "partition",
    "offset",     "timestamp",
    "arrival",    "timestamp_type",
    "value",      "value_base64",
};

}  // namespace

const char* FieldName(Field field) { return kNames[static_cast<std::size_t>(field)].data(); }

Members::Members(const simdjson::dom::object& object) {
  for (const auto& [name, value] : object) {
    std::size_t i = 0;
    while (i < kFieldCount && kNames[i] != name) ++i;
    if (i >= static_cast<std::size_t>(Field::kKey)) ++unknown_;
    if (i == kFieldCount) continue;
    elements_[i] = value;
    present_ |= 1u << i;
  }
}

const element* Members::Find(Field field) const {
  const std::size_t i = static_cast<std::size_t>(field);
  LETHE_CHECK(i < kFieldCount);
  return (present_ >> i & 1u) != 0 ? &elements_[i] : nullptr;
}

const element* Members::FindNonNull(Field field) const {
  const element* found = Find(field);
  return found != nullptr && !found->is_null() ? found : nullptr;
}

bool Members::Equals(Field field, std::string_view text) const {
  const element* found = Find(field);
  std::string_view value;
  return found != nullptr && found->get(value) == simdjson::SUCCESS && value == text;
}

Rejection Reject(Reason reason, std::string message) {
  return Rejection{.reason = reason, .message = std::move(message), .is_request = false};
}

Rejection WrongType(Field field, const std::string& expected) {
  return Reject(Reason::kWrongType, std::string(FieldName(field)) + " is not " + expected);
}

bool ReadText(const element& element, std::string& text) {
  switch (element.type()) {
    case element_type::STRING: text.assign(element.get_string().value_unsafe()); return true;
    case element_type::INT64:
      text = std::to_string(element.get_int64().value_unsafe());
      return true;
    case element_type::UINT64:
      text = std::to_string(element.get_uint64().value_unsafe());
      return true;
    default: return false;
  }
}

bool ReadCount(const element& element, std::int64_t max, std::int64_t& count) {
  std::int64_t value = 0;
  if (element.get(value) != simdjson::SUCCESS || value < 0 || value > max) return false;
  count = value;
  return true;
}

}  // namespace lethe
