#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "connectors/message_batch.h"
#include "engine/ports/event.h"
#include "engine/ports/probe.h"
#include "engine/shard/shard.h"

namespace lethe {

// A rejected record on its way to the dead-letter topic. References and views are valid for the
// duration of the call only.
struct DeadLetter {
  ShardId shard;
  Offset offset;
  TimeMs timestamp;
  const Rejection& rejection;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
};

// The port for dead letters, and for acknowledgements of everything that a shard sends. The
// defaults send nothing. Several shards share one implementation, so it must be thread-safe.
class LoopOutput {
 public:
  virtual ~LoopOutput() = default;
  virtual bool wants_dead_letters() const { return false; }
  // Hands the letter to the producer. Ok does not mean that a broker has it: WaitForAll does.
  virtual Status SendDeadLetter(const DeadLetter& /*letter*/) { return Status::Ok(); }
  // Waits until a broker has acknowledged everything that was sent. kInterrupted if the process is
  // to stop before that.
  virtual Status WaitForAll() { return Status::Ok(); }
  // Why the first message that can never arrive was lost; ok while there is none.
  virtual Status failure() const { return Status::Ok(); }
};

// The port that looks requests up in other shards. The defaults are for a shard without others.
// Called by the shard's own thread, in this order for each batch: Begin, then for each message
// Before (or Again) and NotePlacement, then SetReached. An error ends the run of the shard.
class RequestLookup {
 public:
  virtual ~RequestLookup() = default;
  // Asks about all requests of a batch at once, before its messages are taken.
  virtual void Begin(const MessageBatch& /*batch*/) {}
  // Before message i is taken: fills `result` if the receipt of its request depends on other
  // shards.
  virtual Status Before(const MessageBatch& /*batch*/, std::size_t /*i*/,
                        std::optional<LookupResult>& result) {
    result.reset();
    return Status::Ok();
  }
  // Message i was taken by an earlier process; its request may still be open.
  virtual void Again(const MessageBatch& /*batch*/, std::size_t /*i*/) {}
  // Message i was taken. Returns whether it is on another partition than its key belongs to.
  virtual bool NotePlacement(const MessageBatch& /*batch*/, std::size_t /*i*/) { return false; }
  // Everything before this offset was taken.
  virtual void SetReached(Offset /*reached*/) {}
  // Answers the questions of other shards. Cheap when there are none.
  virtual void Serve() {}
  // Whether an answer has come that a commit has to act on.
  virtual bool has_answers() const { return false; }
  // Before a commit: hands every request that has to be passed on by now to the producer, and notes
  // in the state which requests are still open. Returns whether anything was passed on.
  virtual Result<bool> PassOn() { return false; }
  // How many requests, since the last call, were found in another shard although no key says that
  // they belong there.
  virtual std::size_t TakeMisplaced() { return 0; }
};

// The observer of a shard loop, for metrics: counts and durations only. The defaults ignore
// everything. Called by the shard's own thread.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  virtual void OnAhead() {}      // a timestamp was ahead of the clock
  virtual void OnMisrouted() {}  // a record is on another partition than its key
  virtual void OnDeadLetter(Reason /*why*/) {}
  virtual void OnCommit(bool /*has_news*/, double /*seconds*/) {}
};

}  // namespace lethe
