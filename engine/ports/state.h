#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/ports/sink.h"

namespace lethe {

using Uuid = std::array<std::uint8_t, 16>;

// What must be known of a learned event to find and forget it. No payload.
struct LearnedEvent {
  EventIndex index;
  Offset offset;
  KeyHash id;                      // under the ledger key
  std::optional<KeyHash> subject;  // under the ledger key

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.index, self.offset, self.id, self.subject);
  }
};

// A mark on an id or subject that a request named: a late learn of the id is refused, a repeated
// request is answered with the first receipt. Kept under the refuse key until `until`.
struct Refusal {
  Uuid receipt{};
  bool forgotten = false;  // the first request removed something
  TimeMs until = kNoTime;  // event time; kNoTime: for ever

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.receipt, self.forgotten, self.until);
  }
};

// The engine's own memory, in parts that change at different rates. The numbers are on disk.
enum class Part : std::uint8_t {
  kConfig = 1,         // the certificate part of the configuration, as text
  kShard = 2,          // counters, chain head, requests that wait
  kRun = 3,            // the model and the ledger's scalars
  kMarks = 4,          // the ledger's marks; grows
  kAdaptiveSteps = 5,  // schedule adaptive: the step sizes; grows
  kCalibration = 6,    // the shift-noise curve
  kMode = 7,           // what else the mode keeps
  kFleet = 8,          // with several shards: how many, and who of the waiting is on how many
  kClock = 9,          // what the clocks of the machine decided, and when waiting began
};

// One shard's memory of events, requests and receipts, and of the engine itself. Look-ups see every
// change made so far. Changes become durable together, in Commit; nothing may be published before
// it returns ok. Not thread-safe: the shard's own thread uses it.
class State {
 public:
  virtual ~State() = default;

  virtual std::optional<LearnedEvent> FindId(const KeyHash& id) const = 0;
  // In order of index.
  virtual std::vector<LearnedEvent> FindSubject(const KeyHash& subject) const = 0;
  virtual std::optional<Refusal> FindRefusal(const KeyHash& hash) const = 0;
  // False: no look-up of a refusal can find any.
  virtual bool has_refusals() const { return true; }
  // A hint that the id will be looked up soon, and an event with these names probably added.
  virtual void Prefetch(const KeyHash& /*id*/, const std::optional<KeyHash>& /*subject*/) const {}

  virtual void AddEvent(const LearnedEvent& event) = 0;
  virtual void RemoveEvent(const LearnedEvent& event) = 0;
  virtual void Refuse(const KeyHash& hash, const Refusal& refusal) = 0;
  // Forgets refusals whose time is over.
  virtual void ExpireRefusals(TimeMs now) = 0;
  // A receipt or notice: exact bytes, in chain order.
  virtual void Append(ChainKind kind, std::string_view bytes) = 0;

  // Whether anything survives the process. If not, parts need not be put.
  virtual bool is_durable() const { return false; }
  // A part as it was put and extended last; none if it never was.
  virtual std::optional<std::string> Get(Part /*part*/) const { return std::nullopt; }
  virtual void Put(Part /*part*/, std::string_view /*bytes*/) {}
  // The same, and all of it is written whether it has changed or not: for a part whose change would
  // tell something of a deleted event.
  virtual void Rewrite(Part part, std::string_view bytes) { Put(part, bytes); }
  // Adds to the end of a part.
  virtual void Extend(Part /*part*/, std::string_view /*bytes*/) {}

  // A deletion became effective: models in earlier commits knew an event that this one does not.
  // With the next commit they are due for Erase. An event that was removed long before, because its
  // request had to wait, needs this a second time.
  virtual void RetireModels() {}

  // The bytes of every event that was removed and committed are gone from wherever this state keeps
  // any when this returns: payload, names, and models that knew it.
  virtual Status Erase() { return Status::Ok(); }

  // Makes all changes durable as one, against a crash of the process, and with `sync` also against
  // one of the machine.
  virtual Status Commit(bool sync) = 0;
};

}  // namespace lethe
