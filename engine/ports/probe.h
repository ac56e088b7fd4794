#pragma once

#include <span>

#include "engine/ports/event.h"
#include "engine/ports/example.h"
#include "engine/ports/target.h"

namespace lethe {

// One step, as it was just before it was taken.
struct LearnedStep {
  EventIndex index;
  double prediction;
  double squared_norm;  // of the model
  const Example& example;
};

// How far a request for deletion has come.
enum class ErasureStage { kEffective, kErased };

// What the engine tells about itself while it runs. Everything passed here is public in the sense
// of docs/guarantee.md, or restarts at an effective deletion: never a drawn value or its norm.
class Probe {
 public:
  virtual ~Probe() = default;
  // An event was learned.
  virtual void OnLearn(ShardId /*shard*/, const LearnedStep& /*step*/) {}
  virtual void OnRejected(ShardId /*shard*/, Offset /*offset*/, const Rejection& /*why*/) {}
  // A deletion became effective: one draw for all these events.
  virtual void OnEffective(ShardId /*shard*/, std::span<const Target> /*batch*/,
                           const Forgetting& /*forgetting*/) {}
  // A request has come to this stage, so long after it was received: the difference of the times in
  // its receipt and its notices, in whole seconds, rounded up. How long a computation took, which
  // may depend on data, is not in them.
  virtual void OnStage(ShardId /*shard*/, ErasureStage /*stage*/, std::int64_t /*seconds*/) {}
};

}  // namespace lethe
