#include "engine/modes/papers/step_account.h"

#include <algorithm>
#include <cmath>

#include "engine/base/elementary.h"
#include "engine/privacy/hull.h"

namespace lethe {
namespace {

// Bounds are rounded up by more than all the products in here can be wrong.
constexpr double kUp = 1 + 1e-9;

// Noise of older steps is not counted, which is on the safe side.
constexpr std::int64_t kMostSteps = 20000;

double ShiftOf(const StepAccount::Steps& steps) {
  return (static_cast<double>(steps.deleted) * steps.shift + steps.rounding) * kUp;
}

}  // namespace

void StepAccount::Delete(std::span<const Target> batch) {
  for (const Target& target : batch) {
    for (Steps& block : blocks_) block.deleted += target.index.value < block.learned ? 1 : 0;
  }
}

double StepAccount::Divergence(const Steps& next) const {
  std::vector<Steps> all = blocks_;
  all.push_back(next);
  std::int64_t left = 0;  // steps from the present one to the end, itself included
  for (const Steps& block : all) left += block.count;
  LowerHull hull;
  double noise = 0, shift = 0;  // the last point, which is not in the hull yet
  for (const Steps& block : all) {
    const double entering = ShiftOf(block);
    if (left - block.count >= kMostSteps) {
      // All of it at once, as the geometric sum that it is.
      const double c_after = elementary::Pow(c_, static_cast<double>(left - block.count));
      const double sum = (1 - elementary::Pow(c_, static_cast<double>(block.count))) / (1 - c_);
      hull.Add(0, entering * sum * c_after * kUp);
      left -= block.count;
      continue;
    }
    for (std::int64_t i = 0; i < block.count; ++i, --left) {
      if (noise > 0 || shift > 0) hull.Add(noise, shift);
      const double now = elementary::Pow(c_, static_cast<double>(left - 1)) * kUp;
      noise = left > kMostSteps ? 0 : block.noise * now * now / (kUp * kUp * kUp);
      shift = entering * now;
    }
  }
  return hull.CostWith(noise, shift);
}

double StepAccount::AdaptiveDivergence() const {
  double total = 0;
  for (const Steps& block : blocks_) {
    // Where nothing differs the worlds compute the same, bit for bit.
    if (block.deleted == 0) continue;
    const double s = ShiftOf(block);
    const double ck = elementary::Pow(c_, static_cast<double>(block.count));
    total += s * s / (2 * block.noise) * (1 + c_) / (1 - c_) * (1 - ck) / (1 + ck);
  }
  return total * kUp;
}

}  // namespace lethe
