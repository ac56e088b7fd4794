#include <algorithm>
#include <cmath>

#include "engine/modes/online_unlearner.h"
#include "engine/reset.h"

namespace lethe {
namespace {

// Spends compute on the retained events before it draws, so that less noise is needed
// (docs/guarantee.md, section 6). Keeps the payloads of the retained events, or of those among the
// last `window` indices.
class ActiveUnlearner : public OnlineUnlearner {
 public:
  explicit ActiveUnlearner(const ModeContext& context)
      : OnlineUnlearner(context),
        spec_(context.spec.forgetting),
        payloads_(context.payloads),
        cost_(loss(), context.constants, context.payloads) {}

  double Learn(const Example& example) override {
    const EventIndex index{run().ledger().steps()};
    payloads_.Add(index, example);
    if (spec_.active.window) payloads_.DropBefore({index.value + 1 - *spec_.active.window});
    return OnlineUnlearner::Learn(example);
  }

  void Release(std::span<const Target> batch) override {
    for (const Target& target : batch) payloads_.Remove(target.index);
    OnlineUnlearner::Release(batch);
  }

  std::int64_t DeletionGradients() const override { return gradients_; }

 protected:
  const ActiveSpec& active() const { return spec_.active; }
  double target_sigma() const { return spec_.target_sigma; }
  Payloads& payloads() { return payloads_; }
  const MeanCost& cost() const { return cost_; }

  // `count` gradient steps on what is retained.
  void Descend(std::int64_t count) {
    run().Descend(cost_, count);
    calibrator().Reopen(run());
    gradients_ += count * cost_.count();
  }

  void CountGradients(std::int64_t gradients) { gradients_ += gradients; }

  // log(1/gamma): what one step at 2/(beta+mu) gains.
  double GainPerStep() const {
    return -std::log(Contraction(run().constants(), run().constants().max_step()));
  }

 private:
  ForgettingSpec spec_;
  Payloads& payloads_;
  MeanCost cost_;
  std::int64_t gradients_ = 0;
};

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
    Descend(Steps(c.mu * c.diameter() * tau / c.L));
    ActiveUnlearner::Release(batch);
    const auto i = static_cast<double>(calibrator().draws() + 1);
    Descend(Steps(std::pow(i, 2.2)));
    return ActiveUnlearner::Forget(batch);
  }

 private:
  // At least log_{1/gamma} of the gain, and at least one.
  std::int64_t Steps(double gain) const {
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(std::log(std::max(gain, 1.0)) / GainPerStep())));
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
    case ActiveVariant::kPaper: break;
  }
  if (!forgetting.deadline.none() || !forgetting.batch_window.none()) {
    return {ErrorCode::kConfig,
            "forgetting.active.variant: paper computes on the events that are being deleted, so "
            "they cannot wait; remove deadline and batch_window, or use another variant"};
  }
  return Status::Ok();
}

std::unique_ptr<Unlearner> Make(const ModeContext& context) {
  switch (context.spec.forgetting.active.variant) {
    case ActiveVariant::kSecondOrder: return std::make_unique<SecondOrder>(context);
    case ActiveVariant::kLedger: return std::make_unique<LedgerDescent>(context);
    case ActiveVariant::kPaper: return std::make_unique<PaperDescent>(context);
  }
  return nullptr;
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
};

}  // namespace lethe
