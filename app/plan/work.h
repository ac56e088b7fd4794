#pragma once

#include <cstdint>
#include <string>

#include "engine/plan.h"

namespace lethe {

// Noise of one draw.
struct NoiseForecast {
  double sigma = 0;
  double share = 0;  // sigma sqrt(d) / r: its expected norm against the radius of the model
};

// What one deletion costs in a mode that computes on the retained events.
struct WorkForecast {
  std::string refused;      // why this configuration does not allow it; empty: it does
  std::int64_t events = 0;  // retained, and computed on
  // Not a number for hashed features, where they depend on how many an event has.
  double flops = 0;
  double bytes = 0;  // of payloads, all the time
  NoiseForecast noise;
};

// The configuration with another mode; what belongs to the mode alone has its default.
Spec WithMode(Spec spec, const std::string& mode);

NoiseForecast MakeNoise(const Plan& plan, double sigma);

// Deleting with `events` retained ones, by mode active (variant second_order, three Newton steps)
// in one of `shards`, and by mode retrain, which is exact.
WorkForecast ForecastActive(const Spec& spec, std::int64_t events, std::int64_t shards);
WorkForecast ForecastRetrain(const Spec& spec, std::int64_t events);

}  // namespace lethe
