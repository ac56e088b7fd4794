#pragma once

#include "tests/support/mode_fixture.h"

namespace lethe::testing {

// The problem that kept numbers of descent-to-delete refer to, on ScatteredData.
inline constexpr double kEpsilon = 1, kDelta = 1e-6;
inline constexpr int kDimension = 20;
inline const Constants kPlain = PlainLogistic(0.01, 10);

inline Spec D2dSpec(const char* mode, Calibration calibration, std::int64_t warmup,
                    std::int64_t steps) {
  Spec spec;
  spec.model.dimension = kDimension;
  spec.model.radius = 10;
  spec.forgetting.mode = mode;
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  spec.forgetting.calibration = calibration;
  spec.forgetting.erm = {.warmup = warmup, .refit_every = 1, .steps = steps};
  spec.noise.source = NoiseKind::kDisabled;
  return spec;
}

}  // namespace lethe::testing
