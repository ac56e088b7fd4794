#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/ports/sink.h"
#include "engine/status.h"
#include "engine/types.h"

namespace lethe {

using Uuid = std::array<std::uint8_t, 16>;

// What must be known of a learned event to find and forget it. No payload.
struct LearnedEvent {
  EventIndex index;
  Offset offset;
  KeyHash id;                      // under the ledger key
  std::optional<KeyHash> subject;  // under the ledger key
};

// A mark on an id or subject that a request named: a late learn of the id is refused, a repeated
// request is answered with the first receipt. Kept under the refuse key until `until`.
struct Refusal {
  Uuid receipt{};
  bool forgotten = false;  // the first request removed something
  TimeMs until = kNoTime;  // event time; kNoTime: for ever
};

// One shard's memory of events, requests and receipts. Look-ups see every change made so far.
// Changes become durable together, in Commit; nothing may be published before it returns ok.
// Not thread-safe: the shard's own thread uses it.
class State {
 public:
  virtual ~State() = default;

  virtual std::optional<LearnedEvent> FindId(const KeyHash& id) const = 0;
  // In order of index.
  virtual std::vector<LearnedEvent> FindSubject(const KeyHash& subject) const = 0;
  virtual std::optional<Refusal> FindRefusal(const KeyHash& hash) const = 0;

  virtual void AddEvent(const LearnedEvent& event) = 0;
  virtual void RemoveEvent(const LearnedEvent& event) = 0;
  virtual void Refuse(const KeyHash& hash, const Refusal& refusal) = 0;
  // Forgets refusals whose time is over.
  virtual void ExpireRefusals(TimeMs now) = 0;
  // A receipt or notice: exact bytes, in chain order.
  virtual void Append(ChainKind kind, std::string_view bytes) = 0;

  // Makes all changes durable as one; `next` is the offset to go on from.
  virtual Status Commit(Offset next) = 0;
};

}  // namespace lethe
