#pragma once

#include <algorithm>
#include <cmath>

#include "engine/modes/registry.h"
#include "engine/ports/example.h"
#include "tests/support/proof_random.h"

namespace lethe::proof {

// An event that EventValidator would accept: at most `count` features at random places, with norm
// `length`, and the bias after them.
inline Example SparseEvent(Dice& dice, const ModelSpec& model, std::int64_t count, double length,
                           double y) {
  const std::int64_t places = std::int64_t{1} << *model.hash_bits;
  Example example;
  example.y = y;
  for (std::int64_t i = 0; i < count; ++i) {
    example.at.push_back(static_cast<std::uint32_t>(dice.Below(places)));
  }
  std::sort(example.at.begin(), example.at.end());
  example.at.erase(std::unique(example.at.begin(), example.at.end()), example.at.end());
  const auto size = static_cast<Eigen::Index>(example.at.size());
  example.x.resize(size + (model.bias ? 1 : 0));
  if (size > 0) example.x.head(size) = dice.Direction(size, length);
  if (model.bias) {
    example.at.push_back(static_cast<std::uint32_t>(places));
    example.x[size] = 1;
  }
  return example;
}

// |z|, in more digits than a double has.
inline long double ExactNorm(const Vector& z) {
  long double sum = 0;
  for (const double value : z) sum += static_cast<long double>(value) * value;
  return std::sqrt(sum);
}

}  // namespace lethe::proof
