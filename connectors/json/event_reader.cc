#include "connectors/json/event_reader.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "connectors/json/recovery.h"

namespace lethe {

namespace {

using simdjson::dom::element;

using Key = std::optional<std::string_view>;
using Refused = std::optional<Rejection>;

// The string to fill. It keeps the buffer that the previous event left in it.
std::string& Reuse(std::optional<std::string>& text) { return text ? *text : text.emplace(); }

Refused CheckLength(std::string_view text, std::size_t min, std::size_t max, const char* name) {
  if (text.size() >= min && text.size() <= max) return std::nullopt;
  if (text.size() < min) return Reject(Reason::kBadReference, std::string(name) + " is empty");
  return Reject(Reason::kBadReference,
                std::string(name) + " is longer than " + std::to_string(max) + " bytes");
}

// Reads an optional id, subject or request, and checks its length.
Refused ReadReference(const Members& members, Field field, std::size_t min, std::size_t max,
                      std::optional<std::string>& text) {
  const element* found = members.FindNonNull(field);
  if (found == nullptr) {
    text.reset();
    return std::nullopt;
  }
  if (!ReadText(*found, Reuse(text))) return WrongType(field, "a string");
  return CheckLength(*text, min, max, FieldName(field));
}

Refused ReadId(const Members& members, Event& event) {
  return ReadReference(members, Field::kId, 1, kMaxIdBytes, event.id);
}

Refused ReadSubject(const Members& members, Event& event) {
  return ReadReference(members, Field::kSubject, 1, kMaxIdBytes, event.subject);
}

Refused UseKey(std::string_view key, Event& event) {
  Reuse(event.subject).assign(key);
  return CheckLength(key, 1, kMaxIdBytes, "the key");
}

Rejection BadNumber(Reason reason, const std::string& name) {
  return Reject(reason,
                name + (reason == Reason::kNotFinite ? " is too large" : " is not a number"));
}

Rejection BadFeature(Reason reason, Field field, std::size_t position) {
  return BadNumber(reason, FieldName(field) + ("[" + std::to_string(position) + "]"));
}

Refused ReadDense(const element& x, double bound, Event& event) {
  simdjson::dom::array numbers;
  if (x.get(numbers) != simdjson::SUCCESS) return WrongType(Field::kX, "an array of numbers");
  event.x.clear();
  for (const element number : numbers) {
    double value = 0;
    if (const auto reason = ReadNumber(number, bound, value)) {
      return BadFeature(*reason, Field::kX, event.x.size());
    }
    event.x.push_back(value);
  }
  // The engine takes an event with an empty x for one with named features. No model has dimension
  // 0.
  if (event.x.empty()) return Reject(Reason::kWrongDimension, "x is empty");
  event.named.clear();
  event.texts.clear();
  return std::nullopt;
}

// The next of `count` features. It keeps the buffer of the name that was there before.
template <typename Value>
std::pair<std::string, Value>& Next(std::vector<std::pair<std::string, Value>>& features,
                                    std::size_t& count) {
  if (count == features.size()) features.emplace_back();
  return features[count++];
}

Refused ReadNamed(const element& f, double bound, Event& event) {
  simdjson::dom::object features;
  if (f.get(features) != simdjson::SUCCESS) {
    return WrongType(Field::kF, "an object of numbers and texts");
  }
  std::size_t numbers = 0;
  std::size_t texts = 0;
  for (const auto& [name, value] : features) {
    if (std::string_view text; value.get(text) == simdjson::SUCCESS) {
      auto& feature = Next(event.texts, texts);
      feature.first.assign(name);
      feature.second.assign(text);
      continue;
    }
    auto& feature = Next(event.named, numbers);
    feature.first.assign(name);
    if (const auto reason = ReadNumber(value, bound, feature.second)) {
      return BadFeature(*reason, Field::kF, numbers + texts - 1);
    }
  }
  event.named.resize(numbers);
  event.texts.resize(texts);
  event.x.clear();
  return std::nullopt;
}

Refused ReadFeatures(const Members& members, double bound, Event& event) {
  const element* x = members.Find(Field::kX);
  const element* f = members.Find(Field::kF);
  if (x != nullptr && f != nullptr) {
    return Reject(Reason::kWrongType, "both x and f are given, where one of them is expected");
  }
  if (x != nullptr) return ReadDense(*x, bound, event);
  if (f != nullptr) return ReadNamed(*f, bound, event);
  return Reject(Reason::kMissingField, "x or f is missing");
}

Refused ReadLabel(const Members& members, double bound, Event& event) {
  const element* y = members.Find(Field::kY);
  if (y == nullptr) return Reject(Reason::kMissingField, "y is missing");
  if (std::string_view name; y->get(name) == simdjson::SUCCESS) {
    event.y = 0;
    Reuse(event.label).assign(name);
    return std::nullopt;
  }
  event.label.reset();
  const auto reason = ReadNumber(*y, bound, event.y);
  if (reason == Reason::kWrongType) return WrongType(Field::kY, "a number or the name of a class");
  if (reason) return BadNumber(*reason, "y");
  return std::nullopt;
}

// A weight that is null is refused: a serialiser may have written it for NaN, and 1 would be a
// guess.
Refused ReadWeight(const Members& members, double bound, Event& event) {
  event.w = 1;
  const element* w = members.Find(Field::kW);
  if (w == nullptr) return std::nullopt;
  if (const auto reason = ReadNumber(*w, bound, event.w)) return BadNumber(*reason, "w");
  return std::nullopt;
}

// Reads a learn or an update; event.kind says which.
Refused ReadExample(const Members& members, double bound, Key key, Event& event) {
  event.request.reset();
  event.is_replaced = false;
  if (auto refused = ReadId(members, event)) return refused;
  if (event.kind == EventKind::kUpdate && !event.id) {
    return Reject(Reason::kMissingField, "id is missing: an update has to name what it replaces");
  }
  if (auto refused = key ? UseKey(*key, event) : ReadSubject(members, event)) return refused;
  if (auto refused = ReadFeatures(members, bound, event)) return refused;
  if (auto refused = ReadLabel(members, bound, event)) return refused;
  return ReadWeight(members, bound, event);
}

// Reads what a delete names: the id, or else the subject, or else the key.
Refused ReadTarget(const Members& members, Key key, Event& event) {
  event.subject.reset();
  if (auto refused = ReadId(members, event)) return refused;
  if (event.id) return std::nullopt;
  if (auto refused = ReadSubject(members, event)) return refused;
  if (event.subject) return std::nullopt;
  if (key) return UseKey(*key, event);
  return Reject(Reason::kMissingTarget, "a delete needs an id, a subject or a message key");
}

Refused ReadDelete(const Members& members, Key key, Event& event) {
  Refused refused = ReadTarget(members, key, event);
  if (!refused) {
    refused = ReadReference(members, Field::kRequest, 0, kMaxRequestBytes, event.request);
  }
  event.is_replaced = event.id && members.Equals(Field::kCause, "update");
  if (refused) refused->is_request = true;
  return refused;
}

bool HasTypeOfDelete(const Members& members) {
  const element* type = members.Find(Field::kType);
  std::string_view text;
  return type != nullptr && type->get(text) == simdjson::SUCCESS && MeansDelete(text);
}

void BecomeDelete(Event& event) {
  event.kind = EventKind::kDelete;
  event.is_replaced = false;
  event.x.clear();
  event.named.clear();
  event.texts.clear();
  event.y = 0;
  event.label.reset();
  event.w = 1;
}

}  // namespace

bool IsDelete(const element& value) {
  simdjson::dom::object object;
  if (value.is_null()) return true;
  return value.get(object) == simdjson::SUCCESS && HasTypeOfDelete(Members(object));
}

Refused ReadEvent(const element& value, double bound, Key key, Event& event) {
  if (value.is_null()) return ReadTombstone(key, event);
  simdjson::dom::object object;
  if (value.get(object) != simdjson::SUCCESS) {
    return Reject(Reason::kMalformed, "not a JSON object");
  }
  return ReadEvent(Members(object), bound, key, event);
}

Refused ReadEvent(const Members& members, double bound, Key key, Event& event) {
  event.unknown_members = members.unknown_to_events();
  if (members.Equals(Field::kType, "delete")) {
    BecomeDelete(event);
    return ReadDelete(members, key, event);
  }
  if (members.Equals(Field::kType, "learn")) {
    event.kind = EventKind::kLearn;
  } else if (members.Equals(Field::kType, "update")) {
    event.kind = EventKind::kUpdate;
  } else {
    Rejection rejection = Reject(Reason::kUnknownType, "type is none of learn, delete and update");
    rejection.is_request = HasTypeOfDelete(members);
    return rejection;
  }
  return ReadExample(members, bound, key, event);
}

Refused ReadTombstone(Key key, Event& event) {
  BecomeDelete(event);
  event.unknown_members = 0;
  event.id.reset();
  event.request.reset();
  Refused refused =
      key ? UseKey(*key, event)
          : Reject(Reason::kMissingTarget, "a null value without a key names nothing");
  if (refused) refused->is_request = true;
  return refused;
}

}  // namespace lethe
