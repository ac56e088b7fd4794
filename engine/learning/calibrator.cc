#include "engine/learning/calibrator.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <vector>

#include "engine/base/elementary.h"
#include "engine/learning/reset.h"
#include "engine/privacy/noise.h"
#include "engine/spec/split.h"

namespace lethe {
namespace {

constexpr KeyHash kEverybody{};  // the one group of the joint guarantee

// Where d sigma^2 is a smaller part of q than this, shrinking gains nothing, and the model is left.
constexpr double kLeastNoise = 0x1p-20;
// A smaller factor leaves nothing of the model in any case.
constexpr double kLeastFactor = 0x1p-40;

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

Calibrator::Calibrator(const Spec& spec, const Constants& constants, const Promise& promise)
    : forgetting_(spec.forgetting),
      horizon_deletions_(spec.learning.horizon.deletions),
      promise_(promise) {
  const ShrinkSpec& shrink = forgetting_.shrink;
  if (forgetting_.mode != "passive" || forgetting_.calibration == Calibration::kPaper ||
      shrink.off) {
    return;
  }
  norm_ = shrink.is_auto() ? GuessOfNorm(spec, constants) : shrink.norm;
}

double Calibrator::GuessOfNorm(const Spec& spec, const Constants& constants) {
  return std::min(constants.radius, MinimiserRadius(spec.model, constants)) / 2;
}

ShiftNoiseCurve::Group Calibrator::GroupOf(const std::optional<KeyHash>& subject) const {
  return forgetting_.guarantee == Guarantee::kJoint ? ShiftNoiseCurve::Group(kEverybody)
                                                    : ShiftNoiseCurve::Group(subject);
}

Calibrator::Held Calibrator::Hold(const Target& target, const OnlineRun& run) const {
  const Ledger& ledger = run.ledger();
  return {target.index, curve_.Hold(GroupOf(target.subject), target.index.value + 1,
                                    ledger.Influence(target.index), ledger.Log())};
}

Calibrator::Held Calibrator::HoldUnknown(const std::optional<KeyHash>& subject,
                                         const OnlineRun& run) const {
  const Ledger& ledger = run.ledger();
  return {{-1}, curve_.Hold(GroupOf(subject), ledger.steps(), 0, ledger.Log())};
}

Result<Forgetting> Calibrator::Calibrate(std::span<const Held> batch, const OnlineRun& run) const {
  const auto unshrunk = CalibrateAfter(1, batch, run);
  if (!unshrunk.ok() || norm_ == 0) return unshrunk;
  const double sigma = unshrunk.value().sigma;
  const double noise =
      static_cast<double>(run.model_dimension()) * (sigma / norm_) * (sigma / norm_);
  if (!(noise > kLeastNoise)) return unshrunk;
  return CalibrateAfter(std::max(1 / (1 + noise), kLeastFactor), batch, run);
}

Result<Forgetting> Calibrator::CalibrateAfter(double shrink, std::span<const Held> batch,
                                              const OnlineRun& run) const {
  if (forgetting_.split == Split::kHorizon && draws_ >= horizon_deletions_) {
    return Status(ErrorCode::kInput,
                  "split horizon: the budget was divided into learning.horizon.deletions = " +
                      std::to_string(horizon_deletions_) +
                      " shares and all are spent; plan for more deletions, or use split: curve, "
                      "which has no limit");
  }
  Forgetting forgetting;
  forgetting.shrink = shrink;
  for (const Held& held : batch) forgetting.shift += ShiftNow(held, run, shrink);
  // Two models of the ball are never further apart than its diameter.
  forgetting.shift = std::min(forgetting.shift, run.constants().diameter() * shrink);
  if (forgetting_.calibration == Calibration::kPaper) {
    forgetting.sigma = PaperSigma(batch, run);
  } else if (forgetting_.split == Split::kCurve) {
    forgetting.sigma = CurveSigma(batch, run, shrink);
  } else {
    const double share =
        SplitShare(forgetting_.split, promise_.rho, draws_ + 1, horizon_deletions_);
    forgetting.sigma = SigmaFor(forgetting.shift, share, run, shrink);
  }
  if (!std::isfinite(forgetting.sigma * forgetting.sigma)) {
    return Status(ErrorCode::kInput,
                  "the share of the budget that is left for this deletion cannot be kept on any "
                  "grid of doubles; use split: curve, or a larger budget");
  }
  return forgetting;
}

double Calibrator::ShiftNow(const Held& held, const OnlineRun& run, double shrink) {
  const double log = std::min(run.ledger().LogAfter(shrink).Minus(held.on_curve.log), 0.0);
  return held.on_curve.shift * elementary::Exp(log) * (1 + 8 * DBL_EPSILON);
}

double Calibrator::SigmaFor(double shift, double rho, const OnlineRun& run, double shrink) {
  // Solves sigma sqrt(2 rho) = shift + extra(sigma), with extra(sigma) replaced by its upper bound
  // extra(0) + sigma GridShiftPerSigma.
  const double rate = std::sqrt(2 * rho) - GridShiftPerSigma(run.model_dimension());
  if (!(rate > 0)) return HUGE_VAL;
  return (shift + run.ExtraShift(0, shrink)) / rate * (1 + 1e-12);
}

double Calibrator::CurveSigma(std::span<const Held> batch, const OnlineRun& run,
                              double shrink) const {
  std::vector<ShiftNoiseCurve::Held> on_curve;
  for (const Held& held : batch) on_curve.push_back(held.on_curve);
  const auto extra = [&run, shrink](double sigma) { return run.ExtraShift(sigma, shrink); };
  return curve_.SigmaToDraw(GroupsOf(batch), promise_.rho, run.constants().diameter() * shrink,
                            extra, run.ledger().LogAfter(shrink), on_curve);
}

// OLU Algorithm 1, line 5, with the exponent of its proof (eq. 8): sqrt(i^omega omega / (2 (omega -
// 1) eps)) gamma^(tau - u) Delta_u. The factor gamma is the contraction at eta = 2/(beta+mu) only.
double Calibrator::PaperSigma(std::span<const Held> batch, const OnlineRun& run) const {
  const Constants& c = run.constants();
  const double log_gamma = elementary::Log((c.beta - c.mu) / (c.beta + c.mu));
  double shift = 0;
  for (const Held& held : batch) {
    const auto age = static_cast<double>(run.ledger().steps() - 1 - held.index.value);
    shift += run.ledger().StepSize(held.index) * c.L * elementary::Exp(age * log_gamma);
  }
  const auto i = static_cast<double>(draws_ + 1);
  const double sigma = shift * std::sqrt(elementary::Pow(i, kZetaExponent) * kZetaExponent /
                                         (2 * (kZetaExponent - 1) * promise_.rho));
  return std::max(sigma, DBL_MIN);
}

void Calibrator::Drawn(std::span<const Held> batch, const Forgetting& forgetting,
                       const OnlineRun& run) {
  ++draws_;
  if (forgetting_.split != Split::kCurve || forgetting_.calibration == Calibration::kPaper) return;
  const double sigma = forgetting.sigma;
  const double diameter = run.constants().diameter() * forgetting.shrink;
  const DoubleDouble now = run.ledger().Log();
  for (const Held& held : batch) curve_.Add(held.on_curve, now);
  curve_.AddDraw(run.ledger().steps(), sigma * sigma, now);
  for (const ShiftNoiseCurve::Group& group : GroupsOf(batch)) {
    curve_.Cap(group, diameter, run.ExtraShift(sigma), now);
  }
}

}  // namespace lethe
