#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "engine/learning/online_run.h"
#include "engine/plan.h"

namespace lethe::proof {

// Makes eta the scale of the steps, unless the schedule computes it.
inline void SetEta(double eta, LearningSpec& learning) {
  learning.eta.reset();
  if (learning.schedule != ScheduleKind::kHorizon) learning.eta = eta;
}

// One deletion request that took effect after `after` learn events.
struct Request {
  std::int64_t after = 0;
  std::vector<Target> batch;
};

// A stream of learn events and requests, and the two worlds that its certificates compare
// (docs/guarantee.md, section 1). The noise levels always come from the product.
class Script {
 public:
  // The spec must be one that Plan::Make accepts. Here forgetting.shrink: auto means off: tests
  // that shrink the model state a guess of its norm.
  explicit Script(const Spec& spec);

  // Returns the event's index.
  std::int64_t Learn(Vector x, double y, std::optional<std::uint64_t> subject = {});
  void LearnMany(std::int64_t count, const Vector& x, double y);
  // Removes the payloads of these events now; their deletion takes effect later.
  void Release(const std::vector<std::int64_t>& indices);
  // A deletion of these events takes effect. Removes payloads that Release has not removed.
  void Forget(const std::vector<std::int64_t>& indices);

  const Plan& plan() const { return plan_; }
  const std::vector<Example>& events() const { return events_; }
  const std::vector<Request>& requests() const { return requests_; }

  // Whether the payload of this event is there while request i is served.
  bool IsStored(std::size_t event, std::size_t request) const {
    return static_cast<std::int64_t>(event) < requests_[request].after &&
           (!released_[event] || *released_[event] > request);
  }

  // The sigma of every request: the configured mode, with its noise booked but not drawn.
  std::vector<double> Sigmas() const;
  // The same with the factors by which the model is shrunk before the draws. Events that the mode
  // has dropped by the time of their request are requested as unknown ones.
  std::vector<Forgetting> Draws() const;

  // Whether a blank event is a step on the regulariser alone (mode passive), or none.
  bool BlankIsAStep() const { return plan_.spec.forgetting.mode == "passive"; }

  // Which events are blank in the reference world of request i = 0, 1, ...: joint: the events of
  // all requests up to this one; per_request: those deleted so far of the subjects in this batch,
  // or, without a subject, the request's own.
  std::vector<bool> Blank(std::size_t request) const;

  // The mode itself on this script, up to and including request `last`: the real world A.
  Vector ModelOfMode(std::size_t last, RandomSource& random) const;

  OnlineRun NewRun() const;
  std::unique_ptr<Unlearner> NewMode(const Spec& spec, RandomSource& random,
                                     Payloads& payloads) const;

 private:
  // Calls learn(example) and forget(batch) in the order of the stream, up to request `last`.
  template <typename OnLearn, typename OnForget>
  void Play(std::size_t last, OnLearn learn, OnForget forget) const;

  Plan plan_;
  std::vector<Example> events_;
  std::vector<std::optional<KeyHash>> subjects_;
  std::vector<std::optional<std::size_t>> released_;  // requests served before that
  std::vector<Request> requests_;
};

// One world of a script, made to be sampled many times. The steps before the first draw do not
// depend on the noise and are run once. Borrows the script.
class World {
 public:
  // `blank` as from Script::Blank; empty: world A, in which everything was learned. `script` must
  // outlive the world. The noise of request i has standard deviation sigmas[i], 0 meaning none.
  World(const Script& script, std::vector<bool> blank, std::vector<double> sigmas);
  // A world that shrinks the model by these factors before the draws of the same requests. By
  // default they are those of the script's mode.
  void SetShrinks(std::vector<double> shrinks) { shrinks_ = std::move(shrinks); }

  // The model right after request `last`, with the noise of this seed.
  Vector Sample(std::size_t last, std::uint64_t seed) const;
  // The model right after request `last`, without any noise.
  Vector Noiseless(std::size_t last) const;
  // The run just before the draw of request `last`, earlier draws included.
  OnlineRun Before(std::size_t last, std::uint64_t seed) const;

  const std::vector<double>& sigmas() const { return sigmas_; }

 private:
  void Advance(OnlineRun& run, std::int64_t until) const;
  void Draw(std::size_t request, RandomSource& random, OnlineRun& run) const;

  const Script& script_;
  std::vector<bool> blank_;
  std::vector<double> sigmas_;
  std::vector<double> shrinks_;
  OnlineRun start_;
};

}  // namespace lethe::proof
