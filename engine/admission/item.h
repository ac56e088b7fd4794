#pragma once

#include <optional>
#include <string>
#include <variant>

#include "engine/base/types.h"
#include "engine/ports/event.h"
#include "engine/ports/example.h"

namespace lethe {

// A learn event as the learner takes it: validated numbers, and keyed hashes instead of names.
struct AdmittedLearn {
  Example example;
  KeyHash id;                      // under the ledger key
  std::optional<KeyHash> subject;  // under the ledger key
};

// A request to forget one event, by its id, or every event of a subject.
struct Request {
  std::optional<std::string> id;
  std::optional<std::string> subject;
  std::optional<std::string> reference;  // the caller's own, opaque
  // By id: only the old version of an event goes, because an update has replaced it.
  bool is_replacement = false;
  // Another shard sent the request to this partition: it is not looked up again.
  bool is_rerouted = false;
};

// An update: the new version of an event, and the request that names the old one.
struct AdmittedUpdate {
  AdmittedLearn learn;
  Request replaced;
};

// What a shard takes from one record. Borrowed from the batch that holds it.
using Item =
    std::variant<const AdmittedLearn*, const AdmittedUpdate*, const Request*, const Rejection*>;

// The learn or the new version in an item; nullptr if the item has neither.
inline const AdmittedLearn* LearnIn(const Item& item) {
  if (const auto* learn = std::get_if<const AdmittedLearn*>(&item)) return *learn;
  if (const auto* update = std::get_if<const AdmittedUpdate*>(&item)) return &(*update)->learn;
  return nullptr;
}

}  // namespace lethe
