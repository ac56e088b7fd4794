#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/accountant.h"
#include "engine/constants.h"
#include "engine/door.h"
#include "engine/ports/random.h"
#include "engine/schedule.h"
#include "engine/spec.h"
#include "engine/status.h"
#include "engine/types.h"

namespace lethe {

// One event to be forgotten.
struct Target {
  EventIndex index;
  std::optional<KeyHash> subject;  // a hash that outlives the deletion
};

// What forgetting a batch took.
struct Forgetting {
  double shift = 0;  // bound on this batch's own influence before the draw
  double sigma = 0;  // standard deviation of the noise that was drawn (or would have been)
};

// A way to learn and to forget: the model, what is kept about events, and what is promised.
// A mode is one file in engine/modes with a ModeEntry, and one line in registry.h.
//
// The caller feeds accepted events in order; the k-th Learn is event index k - 1. It asks to forget
// each index at most once. Nothing of what a mode holds may remember a forgotten event, beyond
// what its promise covers. Not thread-safe.
class Unlearner {
 public:
  virtual ~Unlearner() = default;

  virtual double Predict(const Vector& x) const = 0;
  // Learns one event and returns what the model predicted for it before.
  virtual double Learn(const Example& example) = 0;

  // Makes the model forget the batch now. On an error nothing has changed, and the run must stop.
  virtual Result<Forgetting> Forget(std::span<const Target> batch) = 0;

  // The model as it may be released.
  virtual const Vector& model() const = 0;

  // Steps until half of an event's influence has faded; infinite if it does not fade.
  virtual double HalfLife() const = 0;
};

// Everything a mode is built from. The references outlive the mode.
struct ModeContext {
  const Spec& spec;
  Constants constants;
  Schedule schedule;
  Promise promise;
  ShardId shard;
  RandomSource& random;
};

struct ModeEntry {
  const char* name;
  const char* summary;  // one line for --help and docs
  // Why this mode's deletions carry no certificate; nullptr if they may.
  const char* why_never_certified;
  // Refuses (kConfig) what the mode cannot do, before any data is seen.
  Status (*check)(const Spec& spec, const Constants& constants);
  std::unique_ptr<Unlearner> (*make)(const ModeContext& context);
};

}  // namespace lethe
