#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support/mode_fixture.h"
#include "tests/support/passive_spec.h"

namespace lethe::testing {

// The problem that kept numbers of descent-to-delete refer to, on ScatteredData.
inline constexpr double kEpsilon = 1, kDelta = 1e-6;
inline constexpr int kDimension = 20;
inline const Constants kPlain = PlainLogistic(0.01, 10);

inline Spec D2dSpec(const char* mode, Calibration calibration, std::int64_t warmup,
                    std::int64_t steps) {
  Spec spec = PassiveSpec();
  spec.model.dimension = kDimension;
  spec.model.radius = 10;
  spec.forgetting.mode = mode;
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  spec.forgetting.calibration = calibration;
  spec.forgetting.erm = {.warmup = warmup, .refit_every = 1, .steps = steps};
  spec.noise.source = NoiseKind::kDisabled;
  return spec;
}

// Their ridge regression: 200 rows of 10 values, y = <w,x> + 0.1 (2u-1) with w = (+0.5, -0.5, ...).
inline const Constants kRidge{
    .feature_norm = 1, .radius = 1.5, .G = 2.5, .L = 2.575, .beta = 1.05, .mu = 0.05};

inline std::vector<Example> RidgeData() {
  SplitMix random(7);
  std::vector<Example> data;
  for (int i = 0; i < 200; ++i) {
    Example example{Vector(10), 0};
    double score = 0;
    for (int j = 0; j < 10; ++j) {
      example.x[j] = (2 * random.Uniform() - 1) / std::sqrt(10.0);
      score += (j % 2 == 0 ? 0.5 : -0.5) * example.x[j];
    }
    example.y = std::clamp(score + 0.1 * (2 * random.Uniform() - 1), -1.0, 1.0);
    data.push_back(std::move(example));
  }
  return data;
}

}  // namespace lethe::testing
