#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "engine/base/types.h"
#include "engine/ports/event.h"
#include "engine/ports/example.h"

namespace lethe {

// A learn event after admission: a validated example, and keyed hashes of its id and subject.
struct AdmittedLearn {
  Example example;
  KeyHash id;                         // under the ledger key
  std::optional<KeyHash> subject;     // under the ledger key
  std::uint32_t unknown_members = 0;  // as in Event
};

// A request to forget one event, by its id, or every event of a subject. It has at least one of the
// two; the id takes precedence.
struct Request {
  std::optional<std::string> id;
  std::optional<std::string> subject;
  std::optional<std::string> reference;  // the caller's own, opaque
  // By id only: an update has replaced the event, so the old version is forgotten and later learns
  // of the id are not refused.
  bool is_replacement = false;
  // Another shard sent the request to this partition, so it is not passed on again.
  bool is_rerouted = false;
};

// An update: the new version of an event, and the request that names the old one.
struct AdmittedUpdate {
  AdmittedLearn learn;
  Request replaced;
};

// The input of Shard::Process for one record. The pointer is borrowed from the ItemBatch and valid
// until its next Clear.
using Item =
    std::variant<const AdmittedLearn*, const AdmittedUpdate*, const Request*, const Rejection*>;

// The learn or the new version in an item; nullptr if the item has neither.
inline const AdmittedLearn* LearnIn(const Item& item) {
  if (const auto* learn = std::get_if<const AdmittedLearn*>(&item)) return *learn;
  if (const auto* update = std::get_if<const AdmittedUpdate*>(&item)) return &(*update)->learn;
  return nullptr;
}

}  // namespace lethe
