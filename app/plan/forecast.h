#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/plan/rewind_forecast.h"
#include "app/plan/work.h"
#include "engine/base/status.h"
#include "engine/plan.h"
#include "engine/shard/config_warnings.h"

namespace lethe {

// The noise of deleting one event in mode passive, as the first deletion of the run.
struct AgeForecast {
  std::int64_t age = 0;  // events learned after it when its deletion is requested
  double influence = 0;  // its bound in the ledger at that moment
  NoiseForecast at_once;
  double rounding = 0;  // the part of the noise at once that hides round-off, between 0 and 1
  std::vector<NoiseForecast> waited;  // one for each of Forecast::waits
};

// What a configuration promises and costs, before it runs. The figures come from the engine's own
// ledger and calibration, fed with empty events, so they depend on no data. A value.
struct Forecast {
  explicit Forecast(const Plan& from)
      : plan(from), noise_plan(from), mode(from.spec.forgetting.mode) {}

  // The promise for everything that all shards together serve.
  Promise served() const {
    return plan.spec.forgetting.guarantee == Guarantee::kJoint ? plan.budget.Over(plan.shards)
                                                               : plan.budget;
  }

  Plan plan;  // of the configuration, or of mode passive if its mode is refused
  // The same, or that of mode passive with public steps if the steps of `plan` depend on the data.
  // The figures of steps and noise are of this plan.
  Plan noise_plan;
  std::string mode;            // as configured
  std::string refused;         // why the configured mode is refused; empty: it is not
  std::int64_t events = 0;     // learned so far
  std::int64_t dimension = 0;  // weights
  double step = 0;             // the next step size
  double contraction = 0;      // the factor by which the next step shrinks influence
  double half_life = 0;
  double round_off = 0;  // F of the ledger

  std::vector<std::int64_t> waits;              // in events, ascending
  std::optional<std::int64_t> configured_wait;  // one of `waits`, unless above kLongestWait
  std::vector<AgeForecast> ages;

  // The shortest wait of a round number of events after which deleting an event of age 1 takes at
  // most kSmallShare; 0: none is needed. None: no wait within the stream is long enough.
  std::optional<std::int64_t> enough_wait;
  NoiseForecast after_enough;

  WorkForecast active;   // variant second_order, three Newton steps
  WorkForecast retrain;  // exact: no noise
  // Both exact. `rewind` has the configured retention, or `auto` if that is refused.
  RewindForecast rewind;
  RewindForecast rewind_all;  // mode retrain
};

// Enough events for the ages 1, 10, ..., 10^6.
inline constexpr std::int64_t kDefaultEvents = 1'000'001;

// The forecast for one of `shards` shards, each of which learns `events` events. A refused mode is
// no error. kConfig if the configuration is refused in mode passive too.
Result<Forecast> MakeForecast(const Spec& spec, std::int64_t events = kDefaultEvents,
                              std::int64_t shards = 1);

}  // namespace lethe
