#pragma once

#include "engine/event.h"

namespace lethe {

// What the engine tells about itself while it runs. Everything passed here is public in the sense
// of docs/guarantee.md, or restarts at an effective deletion: never a drawn value or its norm.
class Probe {
 public:
  virtual ~Probe() = default;
  // An event was learned; `prediction` was made just before.
  virtual void OnLearn(ShardId /*shard*/, double /*prediction*/, double /*label*/) {}
  virtual void OnRejected(ShardId /*shard*/, Offset /*offset*/, const Rejection& /*why*/) {}
  // A deletion became effective.
  virtual void OnEffective(ShardId /*shard*/, double /*shift*/, double /*sigma*/) {}
};

}  // namespace lethe
