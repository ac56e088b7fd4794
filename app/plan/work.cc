#include "app/plan/work.h"

#include <algorithm>
#include <cmath>

#include "connectors/system/sodium_random.h"
#include "engine/spec/dimension.h"
#include "state/payloads/memory_payloads.h"

namespace lethe {
namespace {

constexpr int kNewtonSteps = 3;  // a reset needs two or three

double Weights(const Plan& plan) { return static_cast<double>(ModelDimension(plan.spec)); }

// The bytes of the payload of one dense event.
double PayloadBytes(const Plan& plan) {
  MemoryPayloads one;
  one.Add({0}, {Vector::Zero(InputDimension(plan.spec)), 0});
  return static_cast<double>(one.bytes());
}

// The noise of mode active. Right after a reset the ledger is as it was before the first event, so
// the noise can be computed with a mode that has learned nothing.
double SigmaAfterReset(const Plan& plan) {
  SystemRandom random;
  MemoryPayloads payloads;
  return plan.mode
      ->make({.spec = plan.spec,
              .constants = plan.constants,
              .schedule = plan.schedule,
              .promise = plan.budget,
              .shard = {},
              .random = random,
              .payloads = payloads})
      ->SigmaNow({});
}

WorkForecast Refused(const Status& why) {
  WorkForecast work;
  work.refused = why.message();
  return work;
}

}  // namespace

NoiseForecast MakeNoise(const Plan& plan, double sigma) {
  return {sigma, sigma * std::sqrt(Weights(plan)) / plan.constants.radius};
}

Spec WithMode(Spec spec, const std::string& mode) {
  // These keys mean something else in another mode, or nothing.
  if (mode != spec.forgetting.mode) {
    spec.forgetting.retention = {};
    spec.forgetting.shrink = {};
  }
  spec.forgetting.mode = mode;
  spec.forgetting.active.variant = ActiveVariant::kSecondOrder;
  spec.forgetting.calibration = Calibration::kLedger;
  return spec;
}

// A Newton step on the mean cost takes n d^2 flops for the Hessian and d^3/3 for solving.
WorkForecast ForecastActive(const Spec& spec, std::int64_t events, std::int64_t shards) {
  const auto plan = Plan::Make(WithMode(spec, "active"), shards);
  if (!plan.ok()) return Refused(plan.status());
  WorkForecast work;
  work.events = std::min(events, spec.forgetting.active.window.value_or(events));
  const auto n = static_cast<double>(work.events);
  const double d = Weights(plan.value());
  work.flops = kNewtonSteps * (n * d * d + d * d * d / 3);
  work.bytes = n * PayloadBytes(plan.value());
  work.noise = MakeNoise(plan.value(), SigmaAfterReset(plan.value()));
  return work;
}

// A gradient step passes three times over the weights, with a product and a sum each: 6 d flops.
WorkForecast ForecastRetrain(const Spec& spec, std::int64_t events) {
  const auto plan = Plan::Make(WithMode(spec, "retrain"));
  if (!plan.ok()) return Refused(plan.status());
  WorkForecast work;
  work.events = events;
  const bool is_sparse = IsSparse(spec);
  const double n = is_sparse ? std::nan("") : static_cast<double>(events);
  work.flops = 6 * n * Weights(plan.value());
  work.bytes = is_sparse ? n : n * PayloadBytes(plan.value());
  return work;
}

}  // namespace lethe
