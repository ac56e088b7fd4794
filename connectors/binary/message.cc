#include "connectors/binary/message.h"

#include <utility>

#include <simdjson.h>

#include "engine/admission/feature_hash.h"

namespace lethe::message {

Rejection Reject(Reason reason, std::string message) {
  return Rejection{.reason = reason, .message = std::move(message), .is_request = false};
}

bool IsUtf8(std::string_view text) { return IsAscii(text) || simdjson::validate_utf8(text); }

Rejection BadText(std::string_view text, std::size_t min, std::size_t max, const char* name) {
  if (text.size() < min) return Reject(Reason::kBadReference, std::string(name) + " is empty");
  if (text.size() > max) {
    return Reject(Reason::kBadReference,
                  std::string(name) + " is longer than " + std::to_string(max) + " bytes");
  }
  return Reject(Reason::kMalformed, std::string(name) + " is not valid UTF-8");
}

Rejection BadKey(std::string_view key, const char* name) {
  return BadText(key, 1, kMaxIdBytes, name);
}

std::string FeatureName(bool named, std::size_t position) {
  return (named ? "f[" : "x[") + std::to_string(position) + "]";
}

Rejection TooLarge(std::size_t max_bytes) {
  return Reject(Reason::kTooLarge, "larger than " + std::to_string(max_bytes) + " bytes");
}

// The engine takes an event with an empty x for one with named features. No model has dimension 0.
Rejection EmptyX() { return Reject(Reason::kWrongDimension, "x is empty"); }

// Weight 1 is written by leaving it out, because an event has one encoding.
Rejection NeedlessWeight() { return Reject(Reason::kMalformed, "w is written although it is 1"); }

Rejection NeedlessTexts() {
  return Reject(Reason::kMalformed, "texts are announced and there are none");
}

Rejection TooManyTexts() {
  return Reject(Reason::kTooLarge, "f: has more than " + std::to_string(kMaxFeatures) + " texts");
}

Rejection UpdateWithoutId() {
  return Reject(Reason::kMissingField, "id is missing: an update has to name what it replaces");
}

Rejection DeleteWithoutTarget() {
  return Reject(Reason::kMissingTarget, "a delete needs an id, a subject or a message key");
}

}  // namespace lethe::message
