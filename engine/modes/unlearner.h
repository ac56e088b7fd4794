#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/ports/example.h"
#include "engine/ports/payloads.h"
#include "engine/ports/random.h"
#include "engine/ports/state.h"
#include "engine/ports/target.h"
#include "engine/spec/accountant.h"
#include "engine/spec/constants.h"
#include "engine/spec/schedule.h"
#include "engine/spec/spec.h"

namespace lethe {

// A way to learn and to forget: the model, what is kept about events, and what is promised.
// A mode is one file in engine/modes with a ModeEntry, and one line in registry.h.
//
// The caller feeds accepted events in order; the k-th Learn is event index k - 1. Each index is
// released at most once, and forgotten at most once, later or at once. Nothing of what a mode
// holds may remember a forgotten event, beyond what its promise covers. Not thread-safe.
class Unlearner {
 public:
  virtual ~Unlearner() = default;

  // Learns one event and returns what the model predicted for it before.
  virtual double Learn(const Example& example) = 0;
  // The same, of a person (a keyed hash) or of nobody, for the modes that care.
  virtual double LearnOf(const std::optional<KeyHash>& /*subject*/, const Example& example) {
    return Learn(example);
  }

  // A hint that the event is among the next to be learned.
  virtual void Prefetch(const Example& /*example*/) const {}

  // Their deletion was asked for: the payloads go now, and nothing is computed on them any more.
  virtual void Release(std::span<const Target> batch) = 0;

  // Makes the model forget a batch that was released. After an error the run must stop, and
  // nothing of it may be released.
  virtual Result<Forgetting> Forget(std::span<const Target> batch) = 0;

  // The noise that Forget would draw for the batch now. For deciding when to forget.
  virtual double SigmaNow(std::span<const Target> batch) const = 0;

  // The model as it may be released: a copy, and reading it changes nothing.
  virtual Vector model() const = 0;

  virtual double SquaredNorm() const = 0;  // |model|^2

  // Steps until half of an event's influence has faded; infinite if it does not fade.
  virtual double HalfLife() const = 0;

  // Gradients computed for learning and for deletions so far. Depends on data in some modes: for
  // whoever holds a recording, never exported by a running engine.
  virtual std::int64_t LearnGradients() const = 0;
  virtual std::int64_t DeletionGradients() const { return 0; }
  // What it holds besides payloads, in bytes.
  virtual std::int64_t HeldBytes() const = 0;

  // Puts everything that the mode holds, payloads apart, into the state; and takes it from there
  // into a mode that is new.
  virtual void Save(State& state) = 0;
  virtual Status Load(const State& state) = 0;
};

// Everything a mode is built from. The references outlive the mode.
struct ModeContext {
  const Spec& spec;
  Constants constants;
  Schedule schedule;
  Promise promise;
  ShardId shard;
  RandomSource& random;
  Payloads& payloads;
};

struct ModeEntry {
  const char* name;
  const char* summary;  // one line for --help and docs
  // Why this mode's deletions carry no certificate; nullptr if they may.
  const char* why_never_certified;
  // The model is exactly that of a run that never learned the events: no noise, no budget.
  bool is_exact;
  // A deletion moves the model otherwise than by noise.
  bool moves_model;
  // Refuses (kConfig) what the mode cannot do, before any data is seen.
  Status (*check)(const Spec& spec, const Constants& constants);
  std::unique_ptr<Unlearner> (*make)(const ModeContext& context);
  // Learns from hashed features too (model.hash_bits), which are sparse.
  bool takes_hashed = false;
  // Why deletions carry no certificate with this spec; nullptr if that does not depend on it.
  const char* (*why_not)(const Spec& spec) = nullptr;
  // The model before its noise is kept: whoever reads the state is not covered.
  bool keeps_secret = false;
  // Whether the promise holds with this spec also when requests depend on what was released;
  // nullptr: never.
  bool (*allows_adaptive_requests)(const Spec& spec) = nullptr;
  // The entry to use instead with this spec, of the same name, where what is promised depends on
  // it; nullptr: this one.
  const ModeEntry* (*form)(const Spec& spec) = nullptr;
  // Why `run` cannot use the mode with this spec, although replay can; nullptr if it can.
  const char* (*why_not_run)(const Spec& spec) = nullptr;
  // Learning draws at random too, and not only a deletion: a model is released only after the
  // commit with its draws was synced.
  bool draws_while_learning = false;
};

}  // namespace lethe
