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

// A record that was rejected, for the dead-letter topic. Borrowed for the call.
struct DeadLetter {
  ShardId shard;
  Offset offset;
  TimeMs timestamp;
  const Rejection& rejection;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
};

// Where a shard loop sends what is neither a receipt nor a model. The defaults send nothing.
class LoopOutput {
 public:
  virtual ~LoopOutput() = default;
  virtual bool wants_dead_letters() const { return false; }
  virtual Status SendDeadLetter(const DeadLetter& /*letter*/) { return Status::Ok(); }
  // Waits until everything that was sent is acknowledged. kInterrupted if the process is to stop
  // before.
  virtual Status WaitForAll() { return Status::Ok(); }
  // The first message that can never arrive.
  virtual Status failure() const { return Status::Ok(); }
};

// Looks requests up in other shards. The defaults are for a shard that has no others.
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
  // Answers what other shards ask.
  virtual void Serve() {}
  // Whether an answer has come that a commit has to act on.
  virtual bool has_answers() const { return false; }
  // Before a commit: hands every request that has to be passed on by now to the producer, and notes
  // in the state which requests are still open. Returns whether anything was passed on.
  virtual Result<bool> PassOn() { return false; }
  // Requests that were found in another shard although no key says that they belong there, since
  // the last call.
  virtual std::size_t TakeMisplaced() { return 0; }
};

// What a shard loop tells about itself. The defaults ignore it. Counts and times only.
class LoopObserver {
 public:
  virtual ~LoopObserver() = default;
  virtual void OnAhead() {}      // a timestamp was ahead of the clock
  virtual void OnMisrouted() {}  // a record is on another partition than its key
  virtual void OnDeadLetter(Reason /*why*/) {}
  virtual void OnCommit(bool /*has_news*/, double /*seconds*/) {}
};

}  // namespace lethe
