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

// The index entry of a learned event: enough to find it and forget it. It has no payload.
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

// A tombstone for an id or subject that a request named. A late learn of the id is refused, and a
// repeated request is answered with the first receipt. It is stored under the hash of the refuse
// key until `until`.
struct Refusal {
  Uuid receipt{};
  bool forgotten = false;  // the first request removed something
  TimeMs until = kNoTime;  // event time; kNoTime: for ever
  // Of a subject, in a mode with a window: learns of it are refused whose own timestamp is not
  // after this one. kNoTime: none is.
  TimeMs up_to = kNoTime;

  // Without up_to, which is saved behind them if there is one.
  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.receipt, self.forgotten, self.until);
  }
};

// The sections of the engine's saved state. Each changes at its own rate. The numbers are part of
// the format on disk.
enum class Part : std::uint8_t {
  kConfig = 1,         // the certificate part of the configuration, as text
  kShard = 2,          // the offset, counters, chain head, pending requests
  kRun = 3,            // the model and the ledger's scalars
  kMarks = 4,          // the ledger's marks; grows
  kAdaptiveSteps = 5,  // schedule adaptive: the step sizes; grows
  kCalibration = 6,    // the shift-noise curve
  kMode = 7,           // other data of the mode
  kFleet = 8,          // several shards: their number, and the holders of each pending request
  kClock = 9,          // decisions of the machine's clocks, and the start of each wait
  kWindow = 10,        // modes with a window: what the shard knows of it
  kSeenIds = 11,       // modes with a window: ids that came in it and are not learned; grows
  kLaterReasons = 12,  // rejections by reasons that kShard has no room for, once there are any
  kErasures = 13,      // erasures to come, if there are many; grows
};

// The database of one shard: the index of learned events, refusals, the receipt chain and the saved
// engine. Look-ups see all changes, committed or not. Changes become durable together, in Commit,
// and no effect may be published before a synced Commit has returned ok. Not thread-safe: the
// shard's own thread uses it. The shard borrows it. After an error from Erase or Commit the state
// must not be used again; a restart continues from the last successful commit.
class State {
 public:
  virtual ~State() = default;

  virtual std::optional<LearnedEvent> FindId(const KeyHash& id) const = 0;
  // In order of index.
  virtual std::vector<LearnedEvent> FindSubject(const KeyHash& subject) const = 0;
  virtual std::optional<Refusal> FindRefusal(const KeyHash& hash) const = 0;
  // False only if no refusal is stored, so that a look-up can be skipped.
  virtual bool has_refusals() const { return true; }
  // A hint that the id will be looked up soon and that an event with these hashes will probably be
  // added.
  virtual void Prefetch(const KeyHash& /*id*/, const std::optional<KeyHash>& /*subject*/) const {}

  virtual void AddEvent(const LearnedEvent& event) = 0;
  virtual void RemoveEvent(const LearnedEvent& event) = 0;
  // Removes all events before `index`, which have left the window of a mode. Their bytes are erased
  // as those of removed events are. No event before `index` may be added afterwards.
  virtual void DropBefore(EventIndex index) = 0;
  virtual void Refuse(const KeyHash& hash, const Refusal& refusal) = 0;
  // A hint that FindRefusal will be called soon.
  virtual void PrefetchRefusal(const KeyHash& /*hash*/) const {}
  // Removes the refusals whose `until` has passed.
  virtual void ExpireRefusals(TimeMs now) = 0;
  // Stores a receipt or notice, exactly these bytes, as the next entry of the chain.
  virtual void Append(ChainKind kind, std::string_view bytes) = 0;

  // Whether the state survives the process. If it does not, Put may be skipped.
  virtual bool is_durable() const { return false; }
  // The present contents of a part; nullopt if the part was never put.
  virtual std::optional<std::string> Get(Part /*part*/) const { return std::nullopt; }
  // Replaces the contents of a part. Pages that have not changed need not be written.
  virtual void Put(Part /*part*/, std::string_view /*bytes*/) {}
  // Replaces the contents of a part and writes all of it, changed or not. For a part whose written
  // size would reveal something about a deleted event.
  virtual void Rewrite(Part part, std::string_view bytes) { Put(part, bytes); }
  // Appends to the end of a part.
  virtual void Extend(Part /*part*/, std::string_view /*bytes*/) {}

  // Marks the models of earlier commits for Erase, from the next commit on. Called whenever a
  // deletion becomes effective, because those models still depend on the event. For a request that
  // waited this is later than RemoveEvent.
  virtual void RetireModels() {}

  // Erases the bytes of every event whose removal is committed: its payload, its keyed hashes, and
  // the retired models. When it returns ok, no file of this state holds them.
  virtual Status Erase() { return Status::Ok(); }

  // Hands over all changes as one atomic write. With `sync` they survive a crash of the machine
  // when the call returns. Without it a background thread may still be writing them: they survive a
  // crash of the process only when they are written, and a later commit is never written without
  // them.
  virtual Status Commit(bool sync) = 0;
};

}  // namespace lethe
