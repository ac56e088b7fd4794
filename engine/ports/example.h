#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/types.h"

namespace lethe {

// An accepted event as the learner sees it. Of a dense model x has one value per weight and `at` is
// empty. Of a hashed model x has the values that are not zero, and `at` the weights that they
// belong to, in increasing order. The bias, if any, is the last feature.
struct Example {
  Vector x;
  double y = 0;
  std::vector<std::uint32_t> at = {};

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.x, self.y, self.at);
  }
};

// The features of a hashed example with a place for every weight.
inline Vector Spread(const Example& example, Eigen::Index model_dimension) {
  Vector x = Vector::Zero(model_dimension);
  for (std::size_t i = 0; i < example.at.size(); ++i) {
    x[example.at[i]] = example.x[static_cast<Eigen::Index>(i)];
  }
  return x;
}

}  // namespace lethe
