#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/types.h"

namespace lethe {

// The features and the label of an accepted event. For a dense model, x has one value per weight
// and `at` is empty. For a hashed model, x has the nonzero values and `at` has their weight
// indices, in increasing order. The bias, if any, is the last feature and has the value 1.
struct Example {
  Vector x;
  double y = 0;
  std::vector<std::uint32_t> at = {};
  double w = 1;  // the importance weight: a factor of the loss, not of the regulariser

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.x, self.y, self.at);
  }
};

// Converts the features of a hashed example to a dense vector with one value per weight.
inline Vector Spread(const Example& example, Eigen::Index model_dimension) {
  Vector x = Vector::Zero(model_dimension);
  for (std::size_t i = 0; i < example.at.size(); ++i) {
    x[example.at[i]] = example.x[static_cast<Eigen::Index>(i)];
  }
  return x;
}

}  // namespace lethe
