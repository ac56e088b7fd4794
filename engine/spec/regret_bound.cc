#include "engine/spec/regret_bound.h"

#include <algorithm>

namespace lethe {

// f(z_t) - f(z*) <= (|z_t - z*|^2 - |z_(t+1) - z*|^2)/(2 eta) + eta L^2/2 - (mu/2)|z_t - z*|^2
// (Hazan 2019, section 3.3). In the sum over t the squared distances telescope up to a remainder of
// at most D^2/2 (1/eta_t - 1/eta_(t-1) - mu) per step, where that is positive.
void RegretBound::Step(double eta) {
  if (eta != last_eta_) {  // with an equal step the remainder is not positive
    const double D = constants_.diameter();
    const double before = last_eta_ > 0 ? 1 / last_eta_ : 0;
    own_ += D * D / 2 * std::max(1 / eta - before - constants_.mu, 0.0);
    last_eta_ = eta;
  }
  own_ += eta * constants_.L * constants_.L / 2;
  ++steps_;
}

// |a z - z*|^2 <= a |z - z*|^2 + (1 - a) |z*|^2 for 0 <= a <= 1, since a z - z* is a mean of z - z*
// and -z*. So shrinking adds at most (1 - a) r^2 to the squared distance.
void RegretBound::Draw(double sigma, std::int64_t events, double shrink) {
  const double moved = (1 - shrink) * constants_.radius * constants_.radius;
  if (last_eta_ > 0) noise_ += (dimension_ * sigma * sigma + moved) / (2 * last_eta_);
  deleted_ += events;
  steps_before_deleted_ += static_cast<double>(events) * static_cast<double>(steps_);
}

// Deleting an event moves the minimiser over the remaining events by at most L/(mu n), and every
// step taken before pays at most L times that. Summed over deletions: sum of (steps before)
// L^2/(mu n).
double RegretBound::ComparatorShift() const {
  const auto retained = static_cast<double>(std::max<std::int64_t>(1, steps_ - deleted_));
  return steps_before_deleted_ * constants_.L * constants_.L / (constants_.mu * retained);
}

}  // namespace lethe
