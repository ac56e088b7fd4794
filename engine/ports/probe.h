#pragma once

#include <cstdint>
#include <span>

#include "engine/ports/event.h"
#include "engine/ports/example.h"
#include "engine/ports/prediction.h"
#include "engine/ports/target.h"

namespace lethe {

// One learn step: the prediction and the model's norm are those before the step. `example` is
// borrowed for the call.
struct LearnedStep {
  EventIndex index;
  Prediction prediction;
  double squared_norm;  // of the model
  const Example& example;
  std::uint32_t unknown_members = 0;  // of the event: members that Lethe does not read
};

// The stages of a deletion after its receipt: the model has forgotten, the bytes are gone.
enum class ErasureStage { kEffective, kErased };

// An observer of one shard, for metrics and evaluation. Every argument is either public in the
// sense of docs/guarantee.md or describes events since the last effective deletion; it is never a
// drawn value or the norm of one. The shard calls it in its own thread and borrows it. A probe
// cannot fail, and it must not call back into the shard.
class Probe {
 public:
  virtual ~Probe() = default;
  virtual void OnLearn(ShardId /*shard*/, const LearnedStep& /*step*/) {}
  virtual void OnRejected(ShardId /*shard*/, Offset /*offset*/, const Rejection& /*why*/) {}
  // The deletion of these events became effective, by one noise draw for all of them.
  virtual void OnEffective(ShardId /*shard*/, std::span<const Target> /*batch*/,
                           const Forgetting& /*forgetting*/) {}
  // Events have left the window of the mode, or a request may have named such an event. Figures
  // that may depend on them begin anew.
  virtual void OnExpired(ShardId /*shard*/) {}
  // A request reached this stage so many seconds after it was received. The value is the difference
  // of the times in its receipt and notices, rounded up to whole seconds, so that it does not
  // reveal the duration of a computation, which may depend on data.
  virtual void OnStage(ShardId /*shard*/, ErasureStage /*stage*/, std::int64_t /*seconds*/) {}
};

}  // namespace lethe
