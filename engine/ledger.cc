#include "engine/ledger.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "engine/check.h"

namespace lethe {
namespace {

constexpr std::int64_t kStepsPerMark = 256;
constexpr double kSmallProduct = 1e-100;  // close a block before its product can underflow

// A bound on the error of log(product) when `factors` factors were multiplied.
double LogError(double log, std::int64_t factors) {
  return (2 * static_cast<double>(factors) + 4 + 2 * std::abs(log)) * DBL_EPSILON;
}

}  // namespace

Ledger::Ledger(const Constants& constants, const Schedule& schedule, std::int64_t terms)
    : constants_(constants),
      schedule_(schedule),
      unit_((3 * static_cast<double>(terms) + 40) * 0x1p-53),
      marks_{{0, {}}} {}

double Ledger::RoundOffOfOneOperation(double eta) const {
  return 2 * unit_ * (constants_.radius + eta * constants_.L);
}

void Ledger::Step(double eta) {
  const double c = Contraction(constants_, eta);
  product_ *= c;
  round_off_ = c * round_off_ + RoundOffOfOneOperation(eta);
  ++steps_;
  if (!schedule_.is_public()) adaptive_steps_.push_back(eta);
  if (steps_ - marks_.back().first == kStepsPerMark || product_ < kSmallProduct) {
    marks_.push_back({steps_, Log()});
    product_ = 1;
  }
}

DoubleDouble Ledger::Log() const {
  const double log = std::log(product_);
  return marks_.back().log + (log + LogError(log, steps_ - marks_.back().first));
}

double Ledger::StepSize(EventIndex u) const {
  LETHE_CHECK(u.value >= 0 && u.value < steps_);
  return schedule_.is_public() ? schedule_.Step(u.value + 1)
                               : adaptive_steps_[static_cast<std::size_t>(u.value)];
}

double Ledger::Influence(EventIndex u) const {
  LETHE_CHECK(u.value >= 0 && u.value < steps_);
  const auto after = std::upper_bound(
      marks_.begin(), marks_.end(), u.value,
      [](std::int64_t index, const Mark& mark) { return index < mark.first; });
  const Mark& mark = *std::prev(after);
  double product = 1;
  for (std::int64_t i = mark.first; i <= u.value; ++i) {
    product *= Contraction(constants_, StepSize({i}));
  }
  // l at u is subtracted, so it is rounded down.
  const double log = std::log(product);
  const DoubleDouble at_u = mark.log + (log - LogError(log, u.value + 1 - mark.first));
  const double exponent = std::min(Log().Minus(at_u), 0.0);
  return std::exp(exponent) * StepSize(u) * constants_.L * (1 + 16 * DBL_EPSILON);
}

}  // namespace lethe
