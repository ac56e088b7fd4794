#pragma once

#include <cstdint>
#include <string>

#include "engine/plan.h"

namespace lethe {

// What one core does of these loops, about, to state work in milliseconds.
inline constexpr double kFlopsPerSecond = 2e9;

// The noise of one draw.
struct NoiseForecast {
  double sigma = 0;
  double share = 0;  // sigma sqrt(d) / r: its expected norm against the radius of the model
};

// The cost of one deletion in a mode that computes on the retained events.
struct WorkForecast {
  std::string refused;      // why this configuration does not allow the mode; empty: it does
  std::int64_t events = 0;  // retained, and computed on
  // Both are NaN for hashed features, where they depend on the number of features of an event.
  double flops = 0;
  double bytes = 0;  // payloads that are kept all the time
  NoiseForecast noise;
};

// The configuration with another mode, and defaults for the keys that belong to the mode alone.
Spec WithMode(Spec spec, const std::string& mode);

// Noise with this standard deviation, with its share of the model.
NoiseForecast MakeNoise(const Plan& plan, double sigma);

// The cost of a deletion with `events` retained events: in mode active (variant second_order, three
// Newton steps) of one of `shards` shards, and in mode retrain, which is exact. A configuration
// that does not allow the mode gives `refused`.
WorkForecast ForecastActive(const Spec& spec, std::int64_t events, std::int64_t shards);
WorkForecast ForecastRetrain(const Spec& spec, std::int64_t events);

}  // namespace lethe
