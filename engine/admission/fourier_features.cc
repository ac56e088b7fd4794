#include "engine/admission/fourier_features.h"

#include <cmath>
#include <cstdint>
#include <numbers>

#include "engine/base/check.h"
#include "engine/base/elementary.h"
#include "engine/base/fused_kernels.h"
#include "engine/base/split_mix.h"

namespace lethe {

const std::vector<double>& FourierFeatures::InTurns() const {
  std::call_once(is_drawn_, [this] {
    SplitMix random(static_cast<std::uint64_t>(spec_.seed));
    const double deviation = std::sqrt(2 * spec_.gamma) / (2 * std::numbers::pi);
    turns_.resize(static_cast<std::size_t>(inputs_ * directions()));
    for (double& turn : turns_) turn = random.Normal() * deviation;
  });
  return turns_;
}

void FourierFeatures::Map(Example& example) const {
  const std::vector<double>& turns = InTurns();
  const Eigen::Index half = directions();
  const auto columns = static_cast<std::size_t>(half);
  Vector angles = Vector::Zero(half);
  if (example.at.empty() && example.x.size() == inputs_) {
    MultiplyRows(turns.data(), columns, example.x.data(), static_cast<std::size_t>(inputs_),
                 angles.data());
  } else {
    LETHE_CHECK(static_cast<std::size_t>(example.x.size()) == example.at.size());
    for (std::size_t i = 0; i < example.at.size(); ++i) {
      const double value = example.x[static_cast<Eigen::Index>(i)];
      const double* const row = turns.data() + example.at[i] * columns;
      for (Eigen::Index j = 0; j < half; ++j) angles[j] += value * row[j];
    }
  }
  const double scale = std::sqrt(2 / static_cast<double>(spec_.dimension)) * (1 - 0x1p-35);
  example.at.clear();
  example.x.resize(2 * half);
  for (Eigen::Index j = 0; j < half; ++j) {
    const elementary::Angle angle = elementary::SinCosOfTurns(angles[j]);
    example.x[j] = scale * angle.cos;
    example.x[half + j] = scale * angle.sin;
  }
}

}  // namespace lethe
