#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "engine/modes/online_unlearner.h"
#include "engine/privacy/noise.h"

namespace lethe {
namespace {

constexpr char kNotCovered[] =
    "too many events were deleted for the noise that was in their steps, if requests may depend on "
    "what was released; with a smaller forgetting.noisy.mu it would cover more";

// Mode noisy: online gradient descent with noise at every step, so that retained events are private
// too. A deletion needs little further noise or none, because all noise drawn after the event
// counts. If requests may depend on released models (FU Theorem 4.3, repaired), only the noise of
// the event's own step counts, because the next model is released. The event then has its mu from
// that step for ever, whatever is drawn later, and the squares of several events add up.
class NoisyUnlearner final : public OnlineUnlearner {
 public:
  explicit NoisyUnlearner(const ModeContext& context)
      : OnlineUnlearner(context),
        schedule_(context.schedule),
        forgetting_(context.spec.forgetting),
        mu_(forgetting_.noisy.mu.value_or(context.promise.mu)) {}

  Prediction Learn(const Example& example) override {
    const double eta = schedule_.Step(run().ledger().steps() + 1);
    const Prediction prediction = run().Learn(example);
    Draw({}, SigmaOf(eta));
    return prediction;
  }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    if (forgetting_.noisy.requests == Requests::kOblivious) return OnlineUnlearner::Forget(batch);
    Forgetting forgetting;
    const Batch held = HeldOf(batch);
    for (const Calibrator::Held& one : held) forgetting.shift += Calibrator::ShiftNow(one, run());
    LetGo(held);
    if (Spend(batch) > calibrator().promise().rho) forgetting.why_not = kNotCovered;
    return forgetting;
  }

  double SigmaNow(std::span<const Target> batch) const override {
    return forgetting_.noisy.requests == Requests::kOblivious ? OnlineUnlearner::SigmaNow(batch)
                                                              : 0;
  }

 protected:
  void SaveMore(SavingArchive& archive) override { archive(spent_); }
  void LoadMore(LoadingArchive& archive) override { archive(spent_); }

 private:
  // What the step of one event may differ by between two worlds, but for what grows with sigma.
  double ShiftOf(double eta) const {
    return eta * run().constants().L + run().ledger().RoundOffOfOneOperation(eta) +
           2 * GridShift(0, run().constants().radius, run().model_dimension());
  }
  double SigmaOf(double eta) const {
    const double rate = mu_ - 2 * GridShiftPerSigma(run().model_dimension());
    return ShiftOf(eta) / rate * (1 + 1e-9);
  }

  // What one event may cost at its own step.
  double CostOf(const Target& target) const {
    const double eta = run().ledger().StepSize(target.index);
    const double sigma = SigmaOf(eta);
    const double mu = ShiftOf(eta) / sigma + 2 * GridShiftPerSigma(run().model_dimension());
    return mu * mu / 2;
  }

  // Adds the batch to what its people, or all together, have cost; returns the largest sum.
  double Spend(std::span<const Target> batch) {
    double alone = 0;  // of events without a subject
    double most = 0;
    for (const Target& target : batch) {
      const bool joint = forgetting_.guarantee == Guarantee::kJoint;
      if (joint || target.subject) {
        double& spent = spent_[joint ? KeyHash{} : *target.subject];
        spent += CostOf(target);
        most = std::max(most, spent);
      } else {
        alone += CostOf(target);
      }
    }
    return std::max(most, alone);
  }

  Schedule schedule_;
  ForgettingSpec forgetting_;
  double mu_;
  std::unordered_map<KeyHash, double> spent_;
};

Status Check(const Spec& spec, const Constants&) {
  if (spec.learning.schedule == ScheduleKind::kAdaptive) {
    return {ErrorCode::kConfig,
            "learning.schedule: mode noisy draws noise in proportion to the step, which must be "
            "public; remove adaptive"};
  }
  if (spec.forgetting.split != Split::kCurve ||
      spec.forgetting.calibration != Calibration::kLedger) {
    return {ErrorCode::kConfig,
            "forgetting.split, forgetting.calibration: mode noisy takes curve and ledger only"};
  }
  if (spec.forgetting.noisy.mu.value_or(1) < 1e-4) {
    return {ErrorCode::kConfig, "forgetting.noisy.mu: must be at least 0.0001"};
  }
  return Status::Ok();
}

}  // namespace

extern const ModeEntry kNoisyMode;
const ModeEntry kNoisyMode = {
    .name = "noisy",
    .summary = "noise at every step, so that deletions need little, and nothing if adaptive",
    .why_never_certified = nullptr,
    .is_exact = false,
    .moves_model = true,
    .check = Check,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<NoisyUnlearner>(context);
    },
    .takes_hashed = false,
    .why_not = nullptr,
    .keeps_secret = false,
    .allows_adaptive_requests =
        [](const Spec& spec) { return spec.forgetting.noisy.requests == Requests::kAdaptive; },
    .draws_while_learning = true,
};

}  // namespace lethe
