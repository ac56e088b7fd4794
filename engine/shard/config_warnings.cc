#include "engine/shard/config_warnings.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/learning/calibrator.h"
#include "engine/spec/dimension.h"
#include "engine/spec/retention.h"

namespace lethe {
namespace {

// The step number of the event whose deletion is estimated. A younger run has learned too little to
// lose.
constexpr std::int64_t kEstablished = 10000;

double StepSize(const Plan& plan, std::int64_t t) {
  if (plan.schedule.is_public()) return plan.schedule.Step(t);
  // An adaptive step is D/sqrt(sum of squared gradients); this is the one with all of them at L.
  return std::min(plan.constants.max_step(),
                  plan.constants.diameter() / (plan.constants.L * std::sqrt(t)));
}

// A lower bound on the events that are learned between a request and its draw. A wait in event time
// guarantees none.
std::int64_t EventsWaited(const ForgettingSpec& forgetting) {
  if (forgetting.batch_window.none()) return forgetting.deadline.events;
  if (forgetting.deadline.none()) return forgetting.batch_window.events;
  return std::min(forgetting.batch_window.events, forgetting.deadline.events);
}

// The noise for deleting an event after a wait. The event is learned at step kEstablished, with an
// influence of at most eta G; one more event is learned, and then waited() more, and each contracts
// the influence. One draw absorbs all of it: sigma = influence / mu. Borrows the plan.
class FreshNoise {
 public:
  explicit FreshNoise(const Plan& plan)
      : plan_(plan),
        sigma_(StepSize(plan, kEstablished) * plan.constants.G / plan.promise.mu *
               Contraction(plan.constants, StepSize(plan, kEstablished + 1))) {}

  std::int64_t waited() const { return waited_; }
  double sigma() const { return sigma_; }
  void Wait() {
    sigma_ *= Contraction(plan_.constants, StepSize(plan_, kEstablished + 1 + ++waited_));
  }

 private:
  const Plan& plan_;
  std::int64_t waited_ = 0;
  double sigma_;
};

// The norm that a model of this configuration has, more or less.
double NormOf(const Plan& plan) {
  const double stated = plan.spec.forgetting.shrink.norm;
  return stated > 0 ? stated : Calibrator::GuessOfNorm(plan.spec, plan.constants);
}

// The noise vector has norm sigma sqrt(d), and sigma does not shrink with d. So the deletion of a
// fresh event may leave nothing but noise. Warns if the noise after the configured wait is larger
// than a usual model, and names the wait after which it is kSmallShare of the radius. At most
// kLongestWait steps of computation.
void WarnOfNoise(const Plan& plan, std::int64_t stream_events, std::vector<std::string>& warnings) {
  const std::int64_t dimension = ModelDimension(plan.spec);
  if (plan.spec.forgetting.mode != "passive") return;
  const double root = std::sqrt(static_cast<double>(dimension));
  const double radius = plan.constants.radius;
  FreshNoise noise(plan);
  const std::int64_t certain = std::min(EventsWaited(plan.spec.forgetting), kLongestWait);
  while (noise.waited() < certain) noise.Wait();
  const double sigma = noise.sigma();
  const double norm = NormOf(plan);
  if (!(sigma * root > norm)) return;
  while (noise.sigma() * root > kSmallShare * radius && noise.waited() < kLongestWait) noise.Wait();

  char text[400];
  std::snprintf(text, sizeof text,
                "deleting one of the latest events%s takes noise of sigma %.3g on each of %lld "
                "weights, of norm %.3g where a model has about %.3g: little of the model is left.",
                certain > 0 ? " after the configured wait" : "", sigma,
                static_cast<long long>(dimension), sigma * root, norm);
  std::string remedy;
  if (noise.waited() <= stream_events && noise.waited() < kLongestWait) {
    remedy = " Let deletions wait until the event has faded (forgetting.deadline, so that " +
             std::to_string(noise.waited()) + " events come), or use mode rewind, which is exact";
  } else {
    remedy =
        " No wait within the stream helps: use mode rewind, which is exact, or make events fade "
        "faster (a larger model.lambda or learning.eta)";
  }
  warnings.push_back(text + remedy);
}

// A wait that is longer than the window outlasts the events that it is to forget.
void WarnOfWindow(const Plan& plan, std::vector<std::string>& warnings) {
  const ForgettingSpec& forgetting = plan.spec.forgetting;
  if (forgetting.mode != "rewind") return;
  const std::int64_t window = RewindWindow(plan.spec, plan.constants, plan.schedule);
  const std::int64_t window_ms = RewindWindowMs(forgetting);
  const auto warn = [&](const char* key, const Wait& wait) {
    const bool outlasts =
        (window > 0 && wait.events > window) || (window_ms > 0 && wait.event_time_ms > window_ms);
    if (!outlasts) return;
    warnings.push_back(
        std::string(key) +
        " is longer than the window, which is half of forgetting.retention, so most "
        "events expire before their deletion is served: set it to at most " +
        (window > 0 ? std::to_string(window) : ToText(Retention{.time_ms = window_ms})));
  };
  warn("forgetting.deadline", forgetting.deadline);
  warn("forgetting.batch_window", forgetting.batch_window);
}

// A bound that no row can come near makes every constant, and all noise, larger than they need be.
void WarnOfNorm(const Plan& plan, std::vector<std::string>& warnings) {
  const FeaturesSpec& features = plan.spec.features;
  const bool is_unit = features.fourier.dimension > 0 || features.normalise == NormaliseKind::kL2;
  if (!is_unit || plan.spec.model.feature_norm <= 1) return;
  warnings.push_back(std::string("features.") +
                     (features.fourier.dimension > 0 ? "fourier" : "normalise") +
                     " makes rows of norm at most 1, and every bound is computed for rows of "
                     "model.feature_norm: set that to 1");
}

}  // namespace

std::vector<std::string> Warnings(const Plan& plan, std::int64_t stream_events) {
  std::vector<std::string> warnings;
  WarnOfNorm(plan, warnings);
  WarnOfWindow(plan, warnings);
  WarnOfNoise(plan, stream_events, warnings);
  return warnings;
}

}  // namespace lethe
