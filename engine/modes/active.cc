#include <algorithm>
#include <cmath>

#include "engine/base/elementary.h"
#include "engine/learning/reset.h"
#include "engine/modes/active_unlearner.h"

namespace lethe {
namespace {

// Variant second_order: a deletion resets the model to the minimiser over the retained events. In
// every world the model ends within tolerance/mu of the same minimiser, so a draw must absorb only
// 2 tolerance/mu, for all events deleted so far together.
class SecondOrder final : public ActiveUnlearner {
 public:
  using ActiveUnlearner::ActiveUnlearner;

  double SigmaNow(std::span<const Target>) const override { return Sigma(); }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const auto reset = run().Reset(cost(), active().tolerance);
    if (!reset.ok()) return reset;
    // The number of steps of a reset depends on the data; this counts the two passes that are
    // certain.
    CountGradients(2 * cost().count());
    const Forgetting forgetting{Shift(), Sigma()};
    Draw(HeldOf(batch), forgetting);
    return forgetting;
  }

 private:
  double Shift() const { return 2 * active().tolerance / run().constants().mu; }
  double Sigma() const { return Calibrator::SigmaFor(Shift(), calibrator().promise().rho, run()); }
};

// Variant ledger: gradient steps on the retained events. Each step multiplies the influence of the
// deleted events by gamma, and adds 2 G eta/n to that of the retained events.
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

  // The noise shrinks in proportion to the shift, so the number of steps to a target sigma follows
  // from the sigma that is needed now.
  std::int64_t Auto(std::span<const Target> batch) const {
    const double gain =
        target_sigma() > 0 ? ActiveUnlearner::SigmaNow(batch) / target_sigma() : kGainWithoutTarget;
    const double steps = std::ceil(elementary::Log(std::max(gain, 1.0)) / GainPerStep());
    return static_cast<std::int64_t>(std::clamp(steps, 0.0, kMostSteps));
  }
};

// Variant paper: OLU Algorithm 2 with steps of 2/(beta+mu) and the ledger's noise. The first
// descent goes towards the minimiser over all payloads, the batch included; the second goes towards
// the minimiser without the batch. The batch counts as retained while steps use it.
class PaperDescent final : public ActiveUnlearner {
 public:
  using ActiveUnlearner::ActiveUnlearner;

  // Forget, which follows immediately, still needs the payloads and removes them.
  void Release(std::span<const Target>) override {}
  double SigmaNow(std::span<const Target>) const override { return HUGE_VAL; }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const Constants& c = run().constants();
    const auto tau = static_cast<double>(run().ledger().steps());
    Descend(StepsThatGain(c.mu * c.diameter() * tau / c.L));
    ActiveUnlearner::Release(batch);
    const auto i = static_cast<double>(calibrator().draws() + 1);
    Descend(StepsThatGain(elementary::Pow(i, 2.2)));
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
  const ActiveVariant variant = forgetting.active.variant;
  const bool is_plain = spec.model.loss != LossKind::kSoftmax && spec.model.weight_bound == 1;
  if (!is_plain && variant != ActiveVariant::kSecondOrder && variant != ActiveVariant::kLedger) {
    return {ErrorCode::kConfig,
            "forgetting.active.variant: " + std::string(Name(variant)) +
                " is that of a paper, which has one output and no importance weights; use "
                "second_order or ledger, or another loss and model.weight_bound: 1"};
  }
  switch (variant) {
    case ActiveVariant::kSecondOrder:
      return CheckReset(spec, constants, forgetting.active.tolerance);
    case ActiveVariant::kLedger: return Status::Ok();
    case ActiveVariant::kAlgorithm3:
      if (spec.model.loss == LossKind::kHuber) {
        return {
            ErrorCode::kConfig,
            "forgetting.active.variant: algorithm_3 needs a loss with a third derivative, which "
            "huber has not; use second_order"};
      }
      LETHE_RETURN_IF_ERROR(CheckReset(spec, constants, forgetting.active.tolerance,
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
    .takes_classes = true,
    .takes_weights = true,
};

}  // namespace lethe
