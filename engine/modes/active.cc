#include <algorithm>
#include <cmath>

#include "engine/learning/reset.h"
#include "engine/modes/active_unlearner.h"

namespace lethe {
namespace {

// Reset: in every world the model ends within tolerance/mu of one and the same minimiser, so 2
// tolerance/mu is all that a draw must absorb, for everything deleted so far together.
class SecondOrder final : public ActiveUnlearner {
 public:
  using ActiveUnlearner::ActiveUnlearner;

  double SigmaNow(std::span<const Target>) const override { return Sigma(); }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const auto reset = run().Reset(cost(), active().tolerance);
    if (!reset.ok()) return reset;
    // How many steps that took depends on the data; this counts the gradients that were certain.
    CountGradients(2 * cost().count());
    const Forgetting forgetting{Shift(), Sigma()};
    Draw(HeldOf(batch), forgetting.sigma);
    return forgetting;
  }

 private:
  double Shift() const { return 2 * active().tolerance / run().constants().mu; }
  double Sigma() const { return Calibrator::SigmaFor(Shift(), calibrator().promise().rho, run()); }
};

// Gradient steps on the retained events: each takes a factor gamma off what was deleted, and adds
// 2 G eta/n to what is retained.
class LedgerDescent final : public ActiveUnlearner {
 public:
  using ActiveUnlearner::ActiveUnlearner;

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    Descend(active().steps.value_or(Auto(batch)));
    return ActiveUnlearner::Forget(batch);
  }

 private:
  static constexpr double kGainWithoutTarget = 100;
  static constexpr double kMostSteps = 10000;

  // Noise shrinks like the shift, so the steps to a target follow from the noise needed now.
  std::int64_t Auto(std::span<const Target> batch) const {
    const double gain =
        target_sigma() > 0 ? ActiveUnlearner::SigmaNow(batch) / target_sigma() : kGainWithoutTarget;
    const double steps = std::ceil(std::log(std::max(gain, 1.0)) / GainPerStep());
    return static_cast<std::int64_t>(std::clamp(steps, 0.0, kMostSteps));
  }
};

// OLU Algorithm 2 with steps of 2/(beta+mu) and the ledger's noise: first towards the minimiser of
// everything that is there, the batch included, then away from the batch. The batch counts as
// retained while steps use it.
class PaperDescent final : public ActiveUnlearner {
 public:
  using ActiveUnlearner::ActiveUnlearner;

  // The payloads are still needed; they go in Forget, which follows at once.
  void Release(std::span<const Target>) override {}
  double SigmaNow(std::span<const Target>) const override { return HUGE_VAL; }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const Constants& c = run().constants();
    const auto tau = static_cast<double>(run().ledger().steps());
    Descend(StepsThatGain(c.mu * c.diameter() * tau / c.L));
    ActiveUnlearner::Release(batch);
    const auto i = static_cast<double>(calibrator().draws() + 1);
    Descend(StepsThatGain(std::pow(i, 2.2)));
    return ActiveUnlearner::Forget(batch);
  }
};

Status Check(const Spec& spec, const Constants& constants) {
  const ForgettingSpec& forgetting = spec.forgetting;
  if (forgetting.calibration == Calibration::kPaper) {
    return {
        ErrorCode::kConfig,
        "forgetting.calibration: paper belongs to mode passive; mode active has variant: paper"};
  }
  switch (forgetting.active.variant) {
    case ActiveVariant::kSecondOrder:
      return CheckReset(spec.model, constants, forgetting.active.tolerance);
    case ActiveVariant::kLedger: return Status::Ok();
    case ActiveVariant::kAlgorithm3:
      if (spec.model.loss == LossKind::kHuber) {
        return {
            ErrorCode::kConfig,
            "forgetting.active.variant: algorithm_3 needs a loss with a third derivative, which "
            "huber has not; use second_order"};
      }
      LETHE_RETURN_IF_ERROR(CheckReset(spec.model, constants, forgetting.active.tolerance,
                                       "forgetting.active.variant: algorithm_3"));
      break;
    case ActiveVariant::kAlgorithm3Paper:
    case ActiveVariant::kPaper: break;
  }
  if (!forgetting.deadline.none() || !forgetting.batch_window.none()) {
    return {ErrorCode::kConfig,
            "forgetting.active.variant: " + std::string(Name(forgetting.active.variant)) +
                " computes on the events that are being deleted, so they cannot wait; remove "
                "deadline and batch_window, or use another variant"};
  }
  return Status::Ok();
}

std::unique_ptr<Unlearner> Make(const ModeContext& context) {
  switch (context.spec.forgetting.active.variant) {
    case ActiveVariant::kSecondOrder: return std::make_unique<SecondOrder>(context);
    case ActiveVariant::kLedger: return std::make_unique<LedgerDescent>(context);
    case ActiveVariant::kPaper: return std::make_unique<PaperDescent>(context);
    case ActiveVariant::kAlgorithm3: return MakeAlgorithm3(context);
    case ActiveVariant::kAlgorithm3Paper: return MakePrintedAlgorithm3(context);
  }
  return nullptr;
}

const char* WhyNot(const Spec& spec) {
  return spec.forgetting.active.variant == ActiveVariant::kAlgorithm3Paper
             ? "variant: algorithm_3_paper moves the model the wrong way, and no theorem says what "
               "its noise covers; it is for comparison"
             : nullptr;
}

}  // namespace

extern const ModeEntry kActiveMode;
const ModeEntry kActiveMode = {
    .name = "active",
    .summary = "some work on the retained events at a deletion, then far less noise",
    .why_never_certified = nullptr,
    .is_exact = false,
    .moves_model = true,
    .check = Check,
    .make = Make,
    .why_not = WhyNot,
};

}  // namespace lethe
