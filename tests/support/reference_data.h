#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/base/split_mix.h"
#include "engine/ports/example.h"

namespace lethe::testing {

// The logistic reference stream that kept numbers refer to: SplitMix64 of `seed`; each row has
// `dimension` values 2u - 1 divided by their norm, then y = +1 iff u < 1/(1 + exp(-4 <t,x>)) with
// t = (+1, -1, +1, ...)/sqrt(dimension).
inline std::vector<Example> ReferenceData(std::uint64_t seed, int n, int dimension) {
  SplitMix random(seed);
  std::vector<Example> data;
  for (int i = 0; i < n; ++i) {
    Example example{Vector(dimension), 0};
    for (int j = 0; j < dimension; ++j) example.x[j] = 2 * random.Uniform() - 1;
    example.x /= example.x.norm();
    double score = 0;
    for (int j = 0; j < dimension; ++j) score += (j % 2 == 0 ? 1 : -1) * example.x[j];
    score /= std::sqrt(static_cast<double>(dimension));
    example.y = random.Uniform() < 1 / (1 + std::exp(-4 * score)) ? 1 : -1;
    data.push_back(std::move(example));
  }
  return data;
}

// The same features with labels for squared loss: y = <t,x> + u - 1/2, cut off at +-1.
inline std::vector<Example> SquaredData(std::uint64_t seed, int n, int dimension) {
  auto data = ReferenceData(seed, n, dimension);
  SplitMix random(seed);
  for (Example& example : data) {
    double score = 0;
    for (int j = 0; j < dimension; ++j) {
      random.Uniform();
      score += (j % 2 == 0 ? 1 : -1) * example.x[j];
    }
    score /= std::sqrt(static_cast<double>(dimension));
    example.y = std::clamp(score + random.Uniform() - 0.5, -1.0, 1.0);
  }
  return data;
}

}  // namespace lethe::testing
