#include "engine/calibrator.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "engine/split.h"

namespace lethe {
namespace {

constexpr KeyHash kEverybody{};

}  // namespace

Calibrator::Calibrator(const Spec& spec, const Promise& promise)
    : forgetting_(spec.forgetting),
      horizon_deletions_(spec.learning.horizon.deletions),
      promise_(promise) {}

Result<Forgetting> Calibrator::Calibrate(std::span<const Target> batch, const OnlineRun& run) {
  Forgetting forgetting;
  for (const Target& target : batch) forgetting.shift += run.ledger().Influence(target.index);
  if (forgetting_.split == Split::kHorizon && draws_ >= horizon_deletions_) {
    return Status(ErrorCode::kInput,
                  "split horizon: the budget was divided into learning.horizon.deletions = " +
                      std::to_string(horizon_deletions_) +
                      " shares and all are spent; plan for more deletions, or use split: curve, "
                      "which has no limit");
  }
  if (forgetting_.calibration == Calibration::kPaper) {
    forgetting.sigma = PaperSigma(batch, run);
  } else if (forgetting_.split == Split::kCurve) {
    forgetting.sigma = CurveSigma(batch, run);
  } else {
    const double share =
        SplitShare(forgetting_.split, promise_.rho, draws_ + 1, horizon_deletions_);
    // Solves sigma sqrt(2 share) = shift + extra(sigma); the grid's part of extra is a tiny
    // multiple of sigma, so this converges at once and from below.
    double sigma = 0;
    for (int i = 0; i < 8; ++i) {
      sigma = (forgetting.shift + run.ExtraShift(sigma)) / std::sqrt(2 * share);
    }
    forgetting.sigma = sigma * (1 + 1e-12);
  }
  return forgetting;
}

double Calibrator::CurveSigma(std::span<const Target> batch, const OnlineRun& run) {
  const DoubleDouble now = run.ledger().Log();
  std::vector<ShiftNoiseCurve::Group> groups;
  for (const Target& target : batch) {
    const ShiftNoiseCurve::Group group =
        forgetting_.guarantee == Guarantee::kJoint ? ShiftNoiseCurve::Group(kEverybody)
                                                   : ShiftNoiseCurve::Group(target.subject);
    curve_.AddShift(group, target.index.value + 1, run.ledger().Influence(target.index), now);
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) groups.push_back(group);
  }
  const auto extra = [&run](double sigma) { return run.ExtraShift(sigma); };
  return curve_.LeastSigma(groups, promise_.rho, extra, now);
}

// OLU Algorithm 1, line 5, with the exponent of its proof (eq. 8): sqrt(i^omega omega / (2 (omega -
// 1) eps)) gamma^(tau - u) Delta_u. The factor gamma is the contraction at eta = 2/(beta+mu) only.
double Calibrator::PaperSigma(std::span<const Target> batch, const OnlineRun& run) const {
  const Constants& c = run.constants();
  const double log_gamma = std::log((c.beta - c.mu) / (c.beta + c.mu));
  double shift = 0;
  for (const Target& target : batch) {
    const auto age = static_cast<double>(run.ledger().steps() - 1 - target.index.value);
    shift += run.ledger().StepSize(target.index) * c.L * std::exp(age * log_gamma);
  }
  const double i = static_cast<double>(draws_ + 1);
  const double sigma = shift * std::sqrt(std::pow(i, kZetaExponent) * kZetaExponent /
                                         (2 * (kZetaExponent - 1) * promise_.rho));
  return std::max(sigma, DBL_MIN);
}

void Calibrator::Drawn(double sigma, const OnlineRun& run) {
  ++draws_;
  if (forgetting_.split == Split::kCurve && forgetting_.calibration == Calibration::kLedger) {
    curve_.AddDraw(run.ledger().steps(), sigma * sigma, run.ledger().Log());
  }
}

}  // namespace lethe
