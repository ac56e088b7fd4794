#include "engine/spec/accountant.h"

#include <cfloat>
#include <cmath>

#include "engine/base/double_double_arithmetic.h"
#include "engine/base/normal.h"

namespace lethe {
namespace {

constexpr double kDown = 1 - 1e-13;
constexpr double kUp = 1 + 1e-13;

// The largest double for which the monotone predicate `holds` (true below, false above) is true. By
// bisection, on a logarithmic scale while the ends differ by more than a factor of 4.
template <typename Predicate>
double LastTrue(double low, double high, Predicate holds) {
  for (int i = 0; i < 2000; ++i) {
    const double middle =
        low > 0 && high / low > 4 ? std::sqrt(low) * std::sqrt(high) : low + (high - low) / 2;
    if (!(middle > low && middle < high)) break;
    (holds(middle) ? low : high) = middle;
  }
  return low;
}

Promise OfMu(double mu, double delta) {
  return {.mu = mu,
          .rho = RhoOfMu(mu),
          .epsilon = EpsilonOfMu(mu, delta),
          .delta = delta,
          .advantage = AdvantageOfMu(mu)};
}

}  // namespace

// With a = epsilon/mu - mu/2, b = epsilon/mu + mu/2 and the normal density phi, e^epsilon phi(b) =
// phi(a). So delta = phi(a) (M(a) - M(b)) with Mills' ratio M, and nothing overflows. The two may
// agree in most digits, so a bound on the error of their difference is added. For a far below 0,
// where M is large, delta = 1 - phi(a) (M(-a) + M(b)), and the difference from 1 is tiny.
double DeltaOfMu(double mu, double epsilon) {
  constexpr double kSlack = 0x1p-50;         // of the density and of the roundings in here
  constexpr double kSlackOfMills = 0x1p-80;  // of each of the ratios
  const DoubleDouble ratio = DoubleDouble{epsilon} / DoubleDouble{mu};
  const DoubleDouble a = ratio + -mu / 2;
  const DoubleDouble of_b = MillsRatio(ratio + mu / 2);
  if (a.high < kLeastMills) {
    const double rest = NormalDensity(a) * (MillsRatio(-a) + of_b).high;
    return std::fmin(1 - rest + kSlack, 1.0);
  }
  const DoubleDouble of_a = MillsRatio(a);
  const double difference = (of_a - of_b).high + kSlackOfMills * (of_a.high + of_b.high);
  return std::fmin(NormalDensity(a) * difference * (1 + kSlack) + DBL_MIN, 1.0);
}

double MuOfEpsilonDelta(double epsilon, double delta) {
  const auto holds = [&](double mu) { return DeltaOfMu(mu, epsilon) <= delta; };
  return LastTrue(1e-12, 1e6, holds) * kDown;
}

double EpsilonOfMu(double mu, double delta) {
  if (DeltaOfMu(mu, 0) <= delta) return 0;
  double high = 1;
  while (DeltaOfMu(mu, high) > delta && high < 1e12) high *= 2;
  const auto too_small = [&](double epsilon) { return DeltaOfMu(mu, epsilon) > delta; };
  return LastTrue(0, high, too_small) * kUp + 1e-300;
}

double RhoOfMu(double mu) { return mu * mu / 2; }
double MuOfRho(double rho) { return std::sqrt(2 * rho) * kDown; }

double AdvantageOfMu(double mu) { return NormalWithin(mu / 2); }

double MuOfAdvantage(double advantage) {
  const auto holds = [&](double mu) { return AdvantageOfMu(mu) <= advantage; };
  return LastTrue(0, 100, holds) * kDown;
}

Result<Promise> Promise::FromBudget(const BudgetSpec& budget) {
  const auto usable = [](std::optional<double> x) { return !x || (std::isnormal(*x) && *x > 0); };
  const Status bad(ErrorCode::kConfig,
                   "forgetting.budget: state one of {epsilon, delta}, {mu} or {rho}, each a finite "
                   "number above 0 (delta below 1); with a budget of 0 nothing could ever be "
                   "released");
  if (!usable(budget.epsilon) || !usable(budget.delta) || !usable(budget.mu) ||
      !usable(budget.rho)) {
    return bad;
  }
  const int forms = budget.epsilon.has_value() + budget.mu.has_value() + budget.rho.has_value();
  if (forms != 1 || (budget.delta && !budget.epsilon)) return bad;
  Promise promise;
  promise.delta = kReportedDelta;
  if (budget.epsilon) {
    promise.delta = budget.delta.value_or(kReportedDelta);
    if (promise.delta >= 1) return bad;
    promise.epsilon = *budget.epsilon;
    promise.mu = MuOfEpsilonDelta(promise.epsilon, promise.delta);
  } else {
    promise.mu = budget.mu ? *budget.mu : MuOfRho(*budget.rho);
    promise.epsilon = EpsilonOfMu(promise.mu, promise.delta);
  }
  promise.rho = RhoOfMu(promise.mu);
  promise.advantage = AdvantageOfMu(promise.mu);
  if (!(promise.mu >= 1e-9 && promise.mu <= 100)) {
    return Status(ErrorCode::kConfig,
                  "forgetting.budget: mu must lie between 1e-9 and 100 to mean anything; "
                  "the default is {epsilon: 1, delta: 1e-6}, which is mu 0.2367");
  }
  return promise;
}

Promise Promise::Over(std::int64_t shards) const {
  if (shards == 1 || mu == 0) return *this;  // exact runs together are exact
  return OfMu(mu * std::sqrt(static_cast<double>(shards)) * kUp, delta);
}

Promise Promise::ShareOf(std::int64_t shards) const {
  if (shards == 1) return *this;
  return OfMu(mu / std::sqrt(static_cast<double>(shards)) * kDown, delta);
}

}  // namespace lethe
