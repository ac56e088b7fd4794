#include "engine/modes/papers/noisy_gd.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "engine/base/elementary.h"
#include "engine/modes/papers/erm_unlearner.h"
#include "engine/modes/papers/step_account.h"
#include "engine/privacy/noise.h"

namespace lethe {
namespace {

constexpr std::int64_t kMostSteps = 200000;

constexpr char kNotCovered[] =
    "all that was released since the events were learned tells more than the budget, if requests "
    "may depend on it; with a smaller forgetting.noisy.mu it would not";

// Mode noisy_gd: gradient descent on the mean cost of all retained events, with noise at every
// step. Models are private for retained events too, and a deletion is a few more steps without the
// event. Only the noised model is kept. With `calibration: ledger` the step size is 2/(beta+mu),
// and the number of steps at a deletion follows from StepAccount; `paper` is FU Theorem 5.1.
class NoisyGdUnlearner final : public ErmUnlearner {
 public:
  explicit NoisyGdUnlearner(const ModeContext& context)
      : ErmUnlearner(context),
        promise_(context.promise),
        mu_(context.spec.forgetting.noisy.mu.value_or(context.promise.mu)),
        requests_(context.spec.forgetting.noisy.requests),
        eta_(is_paper() ? 1 / (2 * context.constants.beta) : context.constants.max_step()),
        c_(Contraction(context.constants, eta_)),
        account_(c_),
        z_(Vector::Zero(run().model_dimension())) {}

  void Release(std::span<const Target> batch) override {
    ErmUnlearner::Release(batch);
    account_.Delete(batch);
  }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const Batch held = HeldOf(batch);
    LetGo(held);
    // The model is still 0 in every world.
    if (!is_trained()) return Forgetting{};
    TakeIn();
    StepAccount::Steps steps = NextSteps();
    const auto count = is_paper() ? PaperSteps(batch.size()) : LeastSteps(steps);
    if (!count.ok()) return count.status();
    steps.count = count.value();
    CountGradients(Take(steps));
    const double faded = elementary::Pow(c_, 2 * static_cast<double>(steps.count));
    Forgetting forgetting{static_cast<double>(batch.size()) * steps.shift / (1 - c_),
                          std::sqrt(steps.noise * (1 - faded) / (1 - c_ * c_))};
    if (requests_ == Requests::kAdaptive && account_.AdaptiveDivergence() > promise_.rho) {
      forgetting.why_not = kNotCovered;
    }
    return forgetting;
  }

  // For deciding when to forget: a deletion needs steps and not more noise.
  double SigmaNow(std::span<const Target>) const override { return 0; }
  Vector model() const override { return z_; }
  double SquaredNorm() const override { return z_.squaredNorm(); }
  double HalfLife() const override { return elementary::Log(0.5) / elementary::Log(c_); }
  std::int64_t HeldBytes() const override { return ErmUnlearner::HeldBytes() + account_.bytes(); }

 protected:
  double Predict(const Example& example) const override { return z_.dot(example.x); }

  std::int64_t Refit() override {
    const bool is_first = !is_trained();
    TakeIn();
    StepAccount::Steps steps = NextSteps();
    steps.count = erm().steps;
    if (is_paper() && is_first) {
      Perturb(noisy_gd::StartSigma(run().constants(), PaperScale()));
      steps.count = noisy_gd::TrainingSteps(run().constants(), size_at_training(), dimension(),
                                            Order(), PaperEpsilon());
    }
    return Take(steps);
  }

  void SaveMore(SavingArchive& archive) override {
    ErmUnlearner::SaveMore(archive);
    archive(z_, account_, draws_);
  }
  void LoadMore(LoadingArchive& archive) override {
    ErmUnlearner::LoadMore(archive);
    archive(z_, account_, draws_);
  }

 private:
  bool is_paper() const { return calibration() == Calibration::kPaper; }
  double dimension() const { return static_cast<double>(run().model_dimension()); }
  double Order() const { return noisy_gd::Order(promise_.epsilon, promise_.delta); }
  // mu as a Renyi divergence of that order.
  double PaperEpsilon() const { return Order() * mu_ * mu_ / 2; }
  double PaperScale() const {
    return noisy_gd::Scale(run().constants(), size_at_training(), Order(), PaperEpsilon());
  }

  // A step on what is retained now; `count` is left to the caller.
  StepAccount::Steps NextSteps() const {
    const Constants& c = run().constants();
    const auto n = static_cast<double>(std::max<std::int64_t>(1, payloads().count()));
    const double scale = PaperScale();
    StepAccount::Steps steps;
    steps.learned = run().ledger().steps();
    steps.noise = is_paper() ? 2 * eta_ * scale * scale : noisy_gd::NoiseOfStep(c, c_, n, mu_);
    steps.shift = 2 * c.G * eta_ / n;
    steps.rounding = run().ledger().RoundOffOfDescent(eta_, payloads().count()) +
                     2 * GridShift(std::sqrt(steps.noise), c.radius, run().model_dimension());
    return steps;
  }

  Result<std::int64_t> PaperSteps(std::size_t edits) const {
    return noisy_gd::DeletionSteps(run().constants(), dimension(), Order(), PaperEpsilon(),
                                   promise_.epsilon / 2, static_cast<double>(edits));
  }

  // The fewest steps after which the budget is kept.
  Result<std::int64_t> LeastSteps(StepAccount::Steps steps) const {
    const auto enough = [&](std::int64_t count) {
      steps.count = count;
      return account_.Divergence(steps) <= promise_.rho;
    };
    std::int64_t high = 1;
    while (!enough(high)) {
      high *= 2;
      if (high > kMostSteps) {
        return Status(ErrorCode::kInput,
                      "noisy_gd: no number of steps keeps the budget, because of rounding; use a "
                      "larger budget or a smaller forgetting.noisy.mu");
      }
    }
    std::int64_t low = high / 2;  // not enough, or 0
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (enough(middle) ? high : low) = middle;
    }
    return high;
  }

  std::int64_t Take(const StepAccount::Steps& steps) {
    for (std::int64_t i = 0; i < steps.count; ++i) {
      z_ -= eta_ * cost().Gradient(z_);
      Perturb(std::sqrt(steps.noise));
    }
    account_.Add(steps);
    return steps.count * payloads().count();
  }

  void Perturb(double sigma) {
    const Stream stream{Stream::Purpose::kNoise, shard(), draws_++};
    const double radius = run().constants().radius;
    if (draws_noise()) AddGridNoise(z_, sigma, radius, random(), stream);
    Project(z_, radius);
  }

  Promise promise_;
  double mu_;
  Requests requests_;
  double eta_;
  double c_;
  StepAccount account_;
  Vector z_;
  std::uint64_t draws_ = 0;
};

Status Check(const Spec& spec, const Constants&) {
  LETHE_RETURN_IF_ERROR(CheckErm(spec));
  const ForgettingSpec& forgetting = spec.forgetting;
  if (forgetting.calibration == Calibration::kRecursion) {
    return {ErrorCode::kConfig,
            "forgetting.calibration: recursion belongs to d2d_strong; noisy_gd takes ledger or "
            "paper"};
  }
  if (forgetting.guarantee != Guarantee::kJoint) {
    return {ErrorCode::kConfig,
            "forgetting.guarantee: noisy_gd accounts for all deleted events together; use joint"};
  }
  return Status::Ok();
}

const char* WhyNot(const Spec& spec) {
  return spec.forgetting.calibration == Calibration::kPaper
             ? "calibration: paper promises something else, for one record replaced by another and "
               "by Theorem 4.3, which does not hold in general; it is for comparison"
             : nullptr;
}

}  // namespace

extern const ModeEntry kNoisyGdMode;
const ModeEntry kNoisyGdMode = {
    .name = "noisy_gd",
    .summary = "noise at every step on all retained events; a deletion is some steps without it",
    .why_never_certified = nullptr,
    .is_exact = false,
    .moves_model = true,
    .check = Check,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<NoisyGdUnlearner>(context);
    },
    .takes_hashed = false,
    .why_not = WhyNot,
    .keeps_secret = false,
    .allows_adaptive_requests =
        [](const Spec& spec) { return spec.forgetting.noisy.requests == Requests::kAdaptive; },
    .draws_while_learning = true,
};

}  // namespace lethe
