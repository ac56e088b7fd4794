#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>

#include "engine/base/elementary.h"
#include "engine/modes/papers/d2d.h"
#include "engine/modes/papers/secret_unlearner.h"
#include "engine/privacy/noise.h"
#include "engine/spec/dimension.h"

namespace lethe {
namespace {

// For the certificate of a secret model, which every publish shows again (see LedgerSigma).
constexpr double kMostPublishes = 0x1p24;
constexpr double kShareOfRounding = 0.05;

// D2D with strong unlearning (Theorem 3.1): an update takes a fixed number of steps from the last
// secret model, the one before its noise.
class StrongUnlearner final : public SecretUnlearner {
 public:
  explicit StrongUnlearner(const ModeContext& context)
      : SecretUnlearner(context), promise_(context.promise) {}
  // With a regulariser of its own (Theorem 3.4); `context` has the constants that go with it.
  StrongUnlearner(const ModeContext& context, double gradient_bound)
      : SecretUnlearner(context), promise_(context.promise), gradient_bound_(gradient_bound) {}

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    if (static_cast<double>(publishes()) >= kMostPublishes) {
      return Status(ErrorCode::kInput,
                    "a secret model can be published 2^24 times only; begin anew");
    }
    const Batch held = HeldOf(batch);
    if (!is_trained()) {
      // The model is still 0 in every world.
      LetGo(held);
      return Forgetting{};
    }
    CountGradients(Update() * payloads().count());
    Forgetting forgetting;
    for (const Calibrator::Held& one : held) forgetting.shift += Calibrator::ShiftNow(one, run());
    deleted_ = DeletedNow() + forgetting.shift;
    deleted_at_ = run().ledger().Log();
    has_deleted_ = true;
    forgetting.sigma = NextSigma();
    LetGo(held);
    Publish(run().model(), forgetting.sigma);
    return forgetting;
  }

 protected:
  std::int64_t Refit() override {
    const std::int64_t steps = Update();
    // Without a deletion there is nothing to hide; after one, every copy must hide it.
    const bool hides = has_deleted_ || calibration() == Calibration::kPaper;
    Publish(run().model(), hides ? NextSigma() : 0);
    return steps * payloads().count();
  }
  void SaveMore(SavingArchive& archive) override {
    SecretUnlearner::SaveMore(archive);
    archive(error_, deleted_, deleted_at_, has_deleted_);
  }
  void LoadMore(LoadingArchive& archive) override {
    SecretUnlearner::LoadMore(archive);
    archive(error_, deleted_, deleted_at_, has_deleted_);
  }

 private:
  std::int64_t Update() {
    const Constants& c = run().constants();
    const bool is_first = !is_trained();
    const std::int64_t steps =
        is_first ? d2d::TrainingSteps(c, static_cast<double>(run().ledger().steps()), erm().steps)
                 : erm().steps;
    const Change change = TakeIn();
    const double shift = is_first ? std::min(c.radius, c.G / c.mu)
                                  : error_ + d2d::OptimumShift(c, change.deleted, change.n_before,
                                                               change.added, change.n_after);
    error_ = d2d::Shrink(c, static_cast<double>(steps)) * shift;
    Descend(steps);
    return steps;
  }

  // What all events deleted so far can still contribute to the secret model.
  double DeletedNow() const {
    return deleted_ * elementary::Exp(std::min(run().ledger().Log().Minus(deleted_at_), 0.0)) *
           (1 + 8 * DBL_EPSILON);
  }

  double NextSigma() const {
    switch (calibration()) {
      case Calibration::kLedger: return LedgerSigma();
      case Calibration::kRecursion: return RecursionSigma();
      case Calibration::kPaper: break;
    }
    Constants c = run().constants();
    if (gradient_bound_ > 0) c.L = gradient_bound_;
    return d2d::StrongSigma(c, size_at_training(), erm().steps, promise_.epsilon, promise_.delta);
  }

  // Both this model and one trained anew are near the same minimiser.
  double RecursionSigma() const {
    const double reference =
        d2d::TrainingError(run().constants(), static_cast<double>(payloads().count()), erm().steps);
    return Calibrator::SigmaFor(error_ + reference, promise_.rho, run());
  }

  // Covers this copy and all later ones. After the deletion both worlds take the same steps, at
  // least erm.steps = I between two copies, so the distance S of the secret models shrinks by
  // g = gamma^I from copy to copy; if no later sigma is smaller, all copies together cost
  //   sum_j (S g^j)^2/(2 sigma^2) = S^2/(2 sigma^2 (1 - g^2)).
  // Rounding does not shrink. It gets a share of mu to itself, enough for 2^24 copies: the root of
  // the sum of squares is a norm, so the two parts add up.
  double LedgerSigma() const {
    const double c = Contraction(run().constants(), run().constants().max_step());
    const double g = elementary::Exp(static_cast<double>(erm().steps) * elementary::Log(c));
    const double shift = DeletedNow() / std::sqrt(1 - g * g);
    const double rounding = std::sqrt(kMostPublishes) * run().ExtraShift(0);
    const double mu = promise_.mu / (1 + 1e-12);
    return std::max(
        {sigma(), shift / ((1 - kShareOfRounding) * mu), 2 * rounding / (kShareOfRounding * mu)});
  }

  Promise promise_;
  double gradient_bound_ = 0;  // 0: L
  double error_ = 0;           // recursion: distance to the minimiser
  double deleted_ = 0;         // the deleted events' influence, as of deleted_at_
  DoubleDouble deleted_at_;
  bool has_deleted_ = false;
};

// Half of the share for rounding is for the grid, whose spacing grows with sigma.
Status CheckRounding(const Spec& spec, const Promise& promise) {
  const std::int64_t d = FeatureDimension(spec) + 1;
  if (2 * std::sqrt(kMostPublishes) * GridShiftPerSigma(d) <= kShareOfRounding * promise.mu) {
    return Status::Ok();
  }
  return {ErrorCode::kConfig,
          "forgetting.budget: too small for a secret model of this dimension, whose rounding every "
          "published copy shows again; use a larger budget, or d2d_perfect"};
}

Status Check(const Spec& spec, const Constants&) {
  LETHE_RETURN_IF_ERROR(CheckErm(spec));
  const auto promise = Promise::FromBudget(spec.forgetting.budget);
  if (!promise.ok()) return promise.status();
  return CheckRounding(spec, promise.value());
}

double Strength(const Spec& spec, const Constants& constants, const Promise& promise) {
  const auto d = static_cast<double>(InputDimension(spec));
  return d2d::RegularisedStrength(constants, d, static_cast<double>(spec.forgetting.erm.warmup),
                                  spec.forgetting.erm.steps, promise.epsilon, promise.delta);
}

Status CheckRegularised(const Spec& spec, const Constants& constants) {
  LETHE_RETURN_IF_ERROR(Check(spec, constants));
  const double m = Strength(spec, constants, Promise::FromBudget(spec.forgetting.budget).value());
  if (spec.model.lambda < m) return Status::Ok();
  char text[200];
  std::snprintf(text, sizeof text,
                "model.lambda: d2d_regularised brings a regulariser of its own, %.3g with this "
                "budget, warmup and steps; with a larger lambda use d2d_strong",
                m);
  return {ErrorCode::kConfig, text};
}

const char* WhyNot(const Spec& spec) {
  switch (spec.forgetting.calibration) {
    case Calibration::kLedger: return nullptr;
    case Calibration::kRecursion:
      return "calibration: recursion bounds each published model alone against training anew, not "
             "all that is released from now on; use ledger";
    case Calibration::kPaper: break;
  }
  return "calibration: paper bounds each published model alone, and only while half of the data is "
         "left; it is for comparison";
}

}  // namespace

extern const ModeEntry kD2dStrongMode;
const ModeEntry kD2dStrongMode = {
    .name = "d2d_strong",
    .summary = "descent-to-delete from a secret model: steps on all retained events, noised copies",
    .why_never_certified = nullptr,
    .is_exact = false,
    .moves_model = true,
    .check = Check,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<StrongUnlearner>(context);
    },
    .why_not = WhyNot,
    .keeps_secret = true,
    .draws_while_learning = true,
};

extern const ModeEntry kD2dRegularisedMode;
const ModeEntry kD2dRegularisedMode = {
    .name = "d2d_regularised",
    .summary = "d2d_strong for hardly regularised losses, with a regulariser of its own",
    .why_never_certified = nullptr,
    .is_exact = false,
    .moves_model = true,
    .check = CheckRegularised,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      const double m = Strength(context.spec, context.constants, context.promise);
      ModeContext changed = context;
      changed.constants = d2d::WithRegulariser(context.constants, m);
      return std::make_unique<StrongUnlearner>(
          changed, changed.constants.G + m * changed.constants.diameter());
    },
    .why_not = WhyNot,
    .keeps_secret = true,
    .draws_while_learning = true,
};

}  // namespace lethe
