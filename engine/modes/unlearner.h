#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/check.h"
#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/ports/example.h"
#include "engine/ports/payloads.h"
#include "engine/ports/prediction.h"
#include "engine/ports/random.h"
#include "engine/ports/state.h"
#include "engine/ports/target.h"
#include "engine/privacy/ledger.h"
#include "engine/spec/accountant.h"
#include "engine/spec/constants.h"
#include "engine/spec/schedule.h"
#include "engine/spec/spec.h"

namespace lethe {

// An unlearning algorithm: the model, its learn step, and the way it forgets. A mode is one file in
// engine/modes with a ModeEntry, and one line in registry.h.
//
// The caller passes accepted events in order; the k-th Learn is event index k - 1. Each index is
// released at most once and then forgotten at most once. No data that a mode holds may depend on a
// forgotten event, beyond what its promise covers.
//
// Not thread-safe: the shard's own thread uses it. It borrows the random source and the payloads of
// its ModeContext. After an error from Forget or Load it must not be used again.
class Unlearner {
 public:
  virtual ~Unlearner() = default;

  // Learns one event and returns the prediction of the model before the step.
  virtual Prediction Learn(const Example& example) = 0;
  // As Learn, with the keyed hash of the event's subject, for the modes that group events by
  // person.
  virtual Prediction LearnOf(const std::optional<KeyHash>& /*subject*/, const Example& example) {
    return Learn(example);
  }

  // A hint that the event will be learned soon.
  virtual void Prefetch(const Example& /*example*/) const {}

  // Called when the deletion of these events is requested: removes their payloads. No computation
  // uses the events afterwards. (Modes that need the payloads in Forget admit no wait and remove
  // them there.)
  virtual void Release(std::span<const Target> batch) = 0;

  // Makes the model forget a released batch. After an error the run must stop, and no model of it
  // may be published.
  virtual Result<Forgetting> Forget(std::span<const Target> batch) = 0;

  // How long it would take now to compute the model again without all released events, in
  // nanoseconds: by positions and by constants of the configuration, never by measurement, so that
  // nothing that follows from it depends on payloads. 0 if the model has none of these events, and
  // in modes that do not learn events again.
  virtual std::int64_t RewindNs() const { return 0; }
  // Computes the next model on a copy in advance, for about `ns` by the same constants, while the
  // model itself goes on learning. Returns whether Forget, called now, would have nothing left to
  // compute. Forget uses the copy, and brings it to the events that are retained then. The copy is
  // not saved. Only called after RewindNs was not 0.
  virtual bool PrepareForget(std::int64_t /*ns*/) { return true; }

  // The sigma that Forget would draw for the batch now, for the decision when to forget. Infinite
  // if Forget would fail or its sigma cannot be known in advance.
  virtual double SigmaNow(std::span<const Target> batch) const = 0;

  // A copy of the model that may be published. Reading it changes nothing.
  virtual Vector model() const = 0;

  virtual double SquaredNorm() const = 0;  // |model|^2

  // The number of steps in which the influence of an event halves; infinite if it does not fade.
  virtual double HalfLife() const = 0;

  // The window of a mode that lets old events expire without a request, in events: no model depends
  // on anything older than twice the window. 0: events do not expire.
  virtual std::int64_t window() const { return 0; }
  // Whether events expire without a request, by their number or by their age.
  virtual bool expires() const { return window() > 0; }
  // The first event of the window. No model depends on an event before it. It only grows, and only
  // in Learn and SlideTo.
  virtual EventIndex anchor() const { return {0}; }
  // Slides a window in time: the model no longer depends on any event before `anchor`, which is at
  // most the index of the next event. The caller chooses it from positions and times alone. Must
  // not be called in other modes.
  virtual void SlideTo(EventIndex /*anchor*/) { LETHE_CHECK(false); }
  // How often the window has slid.
  virtual std::int64_t slides() const { return 0; }

  // Whether events before anchor() are no longer known one by one, and every draw covers them all
  // instead. Models may then depend on them, by less than rounding does. Not in a mode with a
  // window.
  virtual bool covers_old() const { return false; }
  // Makes the model forget what a request names that matches nothing known: with covers_old() it
  // may name an event before anchor(). `subject`: under the refuse key, if the request names a
  // person. Fails as Forget does.
  virtual Result<Forgetting> ForgetUnknown(const std::optional<KeyHash>& /*subject*/) {
    return Forgetting{};
  }

  // What the reference world of the certificates does at the position of a deleted event.
  virtual Ledger::Blank blank() const { return Ledger::Blank::kNoStep; }

  // Gradients computed so far for learning and for deletions. In some modes they depend on data, so
  // a running engine never exports them; they are for the evaluation of recordings.
  virtual std::int64_t LearnGradients() const = 0;
  virtual std::int64_t DeletionGradients() const { return 0; }
  // The memory of the mode without the payloads, in bytes.
  virtual std::int64_t HeldBytes() const = 0;

  // Saves everything that the mode holds, except for the payloads. Load restores it into a newly
  // made mode, and fails (kInput) if the state cannot be read.
  virtual void Save(State& state) = 0;
  virtual Status Load(const State& state) = 0;
};

// The arguments of a mode's constructor. The references must outlive the mode. `promise` is the
// budget of one shard (Plan::budget), also in exact modes.
struct ModeContext {
  const Spec& spec;
  Constants constants;
  Schedule schedule;
  Promise promise;
  ShardId shard;
  RandomSource& random;
  Payloads& payloads;
};

// The static description of a mode. All pointers are to static data and functions.
struct ModeEntry {
  const char* name;
  const char* summary;  // one line for --help and docs
  // Why this mode's deletions carry no certificate; nullptr if they may.
  const char* why_never_certified;
  // The model is exactly that of a run that never learned the events: no noise, no budget.
  bool is_exact;
  // A deletion moves the model in another way than by noise, so that no regret bound is reported.
  bool moves_model;
  // Fails (kConfig), before any data is seen, if the mode does not support the spec.
  Status (*check)(const Spec& spec, const Constants& constants);
  std::unique_ptr<Unlearner> (*make)(const ModeContext& context);
  // Whether the mode supports hashed, sparse features (model.hash_bits).
  bool takes_hashed = false;
  // Returns why deletions carry no certificate with this spec, or nullptr if they may carry one.
  // Without this function only the general rules of Plan::WhyNotCertified apply.
  const char* (*why_not)(const Spec& spec) = nullptr;
  // The mode keeps the model before its noise, so the promise does not cover readers of the state.
  bool keeps_secret = false;
  // Returns whether the promise holds with this spec even if requests depend on released models.
  // Without this function it does not.
  bool (*allows_adaptive_requests)(const Spec& spec) = nullptr;
  // Returns the entry to use instead of this one with this spec, if flags such as is_exact depend
  // on the spec. It has the same name.
  const ModeEntry* (*form)(const Spec& spec) = nullptr;
  // Returns why `lethe run` cannot use the mode with this spec although a replay can, or nullptr.
  const char* (*why_not_run)(const Spec& spec) = nullptr;
  // The mode draws random numbers while it learns, and not only for deletions. A model may then be
  // published only after the commit with its draws is synced.
  bool draws_while_learning = false;
  // Whether the mode supports several classes (loss: softmax), and a bound on importance weights
  // other than 1. Every mode supports weights up to 1.
  bool takes_classes = false;
  bool takes_weights = false;
  // Steps per feature (learning.update) do not void what the mode promises.
  bool takes_any_steps = false;
};

}  // namespace lethe
