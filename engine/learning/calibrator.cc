#include "engine/learning/calibrator.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "engine/privacy/noise.h"
#include "engine/spec/split.h"

namespace lethe {
namespace {

constexpr KeyHash kEverybody{};  // the one group of the joint guarantee

// The groups of the batch, each once.
std::vector<ShiftNoiseCurve::Group> GroupsOf(std::span<const Calibrator::Held> batch) {
  std::vector<ShiftNoiseCurve::Group> groups;
  for (const Calibrator::Held& held : batch) {
    if (std::find(groups.begin(), groups.end(), held.on_curve.group) == groups.end()) {
      groups.push_back(held.on_curve.group);
    }
  }
  return groups;
}

}  // namespace

Calibrator::Calibrator(const Spec& spec, const Promise& promise)
    : forgetting_(spec.forgetting),
      horizon_deletions_(spec.learning.horizon.deletions),
      promise_(promise) {}

Calibrator::Held Calibrator::Hold(const Target& target, const OnlineRun& run) const {
  const ShiftNoiseCurve::Group group = forgetting_.guarantee == Guarantee::kJoint
                                           ? ShiftNoiseCurve::Group(kEverybody)
                                           : ShiftNoiseCurve::Group(target.subject);
  const Ledger& ledger = run.ledger();
  return {target.index,
          curve_.Hold(group, target.index.value + 1, ledger.Influence(target.index), ledger.Log())};
}

Result<Forgetting> Calibrator::Calibrate(std::span<const Held> batch, const OnlineRun& run) const {
  if (forgetting_.split == Split::kHorizon && draws_ >= horizon_deletions_) {
    return Status(ErrorCode::kInput,
                  "split horizon: the budget was divided into learning.horizon.deletions = " +
                      std::to_string(horizon_deletions_) +
                      " shares and all are spent; plan for more deletions, or use split: curve, "
                      "which has no limit");
  }
  Forgetting forgetting;
  for (const Held& held : batch) forgetting.shift += ShiftNow(held, run);
  // Two models of the ball are never further apart than its diameter.
  forgetting.shift = std::min(forgetting.shift, run.constants().diameter());
  if (forgetting_.calibration == Calibration::kPaper) {
    forgetting.sigma = PaperSigma(batch, run);
  } else if (forgetting_.split == Split::kCurve) {
    forgetting.sigma = CurveSigma(batch, run);
  } else {
    const double share =
        SplitShare(forgetting_.split, promise_.rho, draws_ + 1, horizon_deletions_);
    forgetting.sigma = SigmaFor(forgetting.shift, share, run);
  }
  if (!std::isfinite(forgetting.sigma * forgetting.sigma)) {
    return Status(ErrorCode::kInput,
                  "the share of the budget that is left for this deletion cannot be kept on any "
                  "grid of doubles; use split: curve, or a larger budget");
  }
  return forgetting;
}

double Calibrator::ShiftNow(const Held& held, const OnlineRun& run) {
  const double log = std::min(run.ledger().Log().Minus(held.on_curve.log), 0.0);
  return held.on_curve.shift * std::exp(log) * (1 + 8 * DBL_EPSILON);
}

double Calibrator::SigmaFor(double shift, double rho, const OnlineRun& run) {
  // Solves sigma sqrt(2 rho) = shift + extra(sigma), with extra(sigma) replaced by its upper bound
  // extra(0) + sigma GridShiftPerSigma.
  const double rate = std::sqrt(2 * rho) - GridShiftPerSigma(run.model_dimension());
  if (!(rate > 0)) return HUGE_VAL;
  return (shift + run.ExtraShift(0)) / rate * (1 + 1e-12);
}

double Calibrator::CurveSigma(std::span<const Held> batch, const OnlineRun& run) const {
  std::vector<ShiftNoiseCurve::Held> on_curve;
  for (const Held& held : batch) on_curve.push_back(held.on_curve);
  const auto extra = [&run](double sigma) { return run.ExtraShift(sigma); };
  return curve_.SigmaToDraw(GroupsOf(batch), promise_.rho, run.constants().diameter(), extra,
                            run.ledger().Log(), on_curve);
}

// OLU Algorithm 1, line 5, with the exponent of its proof (eq. 8): sqrt(i^omega omega / (2 (omega -
// 1) eps)) gamma^(tau - u) Delta_u. The factor gamma is the contraction at eta = 2/(beta+mu) only.
double Calibrator::PaperSigma(std::span<const Held> batch, const OnlineRun& run) const {
  const Constants& c = run.constants();
  const double log_gamma = std::log((c.beta - c.mu) / (c.beta + c.mu));
  double shift = 0;
  for (const Held& held : batch) {
    const auto age = static_cast<double>(run.ledger().steps() - 1 - held.index.value);
    shift += run.ledger().StepSize(held.index) * c.L * std::exp(age * log_gamma);
  }
  const auto i = static_cast<double>(draws_ + 1);
  const double sigma = shift * std::sqrt(std::pow(i, kZetaExponent) * kZetaExponent /
                                         (2 * (kZetaExponent - 1) * promise_.rho));
  return std::max(sigma, DBL_MIN);
}

void Calibrator::Drawn(std::span<const Held> batch, double sigma, const OnlineRun& run) {
  ++draws_;
  if (forgetting_.split != Split::kCurve || forgetting_.calibration == Calibration::kPaper) return;
  const DoubleDouble now = run.ledger().Log();
  for (const Held& held : batch) curve_.Add(held.on_curve, now);
  curve_.AddDraw(run.ledger().steps(), sigma * sigma, now);
  for (const ShiftNoiseCurve::Group& group : GroupsOf(batch)) {
    curve_.Cap(group, run.constants().diameter(), run.ExtraShift(sigma), now);
  }
}

}  // namespace lethe
