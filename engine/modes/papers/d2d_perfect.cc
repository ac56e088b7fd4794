#include <cmath>
#include <cstdio>

#include "engine/modes/papers/d2d.h"
#include "engine/modes/papers/erm_unlearner.h"
#include "engine/spec/dimension.h"

namespace lethe {
namespace {

// D2D with perfect unlearning (Theorem 3.2): only the published, noised model is kept, and the next
// update begins there. With `calibration: ledger` both worlds share the noise history, so no least
// number of steps is needed to recover from earlier noise: e_u <- gamma e_u + 2 G eta/n while u is
// retained, e_u <- gamma e_u afterwards, and one draw at the deletion.
class PerfectUnlearner final : public ErmUnlearner {
 public:
  explicit PerfectUnlearner(const ModeContext& context)
      : ErmUnlearner(context), promise_(context.promise) {}

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    if (is_trained()) CountGradients(Update() * payloads().count());
    if (calibration() == Calibration::kLedger || !is_trained()) return ErmUnlearner::Forget(batch);
    Forgetting forgetting;
    const Batch held = HeldOf(batch);
    for (const Calibrator::Held& one : held) forgetting.shift += Calibrator::ShiftNow(one, run());
    forgetting.sigma = PaperSigma();
    Draw(held, forgetting.sigma);
    return forgetting;
  }

 protected:
  std::int64_t Refit() override {
    const std::int64_t steps = Update();
    // The paper treats an addition as a deletion; for the ledger nothing is to be hidden yet.
    if (calibration() == Calibration::kPaper) Draw({}, PaperSigma());
    return steps * payloads().count();
  }
  void SaveMore(SavingArchive& archive) override {
    ErmUnlearner::SaveMore(archive);
    archive(updates_);
  }
  void LoadMore(LoadingArchive& archive) override {
    ErmUnlearner::LoadMore(archive);
    archive(updates_);
  }

 private:
  std::int64_t Update() {
    const Constants& c = run().constants();
    const auto d = static_cast<double>(run().model_dimension());
    std::int64_t steps = erm().steps;
    if (!is_trained()) {
      steps = d2d::TrainingSteps(c, static_cast<double>(run().ledger().steps()), steps);
    } else if (calibration() == Calibration::kPaper) {
      steps = d2d::PerfectUpdateSteps(c, d, steps, ++updates_, promise_.delta);
    }
    TakeIn();
    Descend(steps);
    return steps;
  }
  double PaperSigma() const {
    return d2d::PerfectSigma(run().constants(), size_at_training(), erm().steps, promise_.epsilon,
                             promise_.delta);
  }

  Promise promise_;
  std::int64_t updates_ = 0;  // since the training
};

Status Check(const Spec& spec, const Constants& constants) {
  LETHE_RETURN_IF_ERROR(CheckErm(spec));
  const ForgettingSpec& forgetting = spec.forgetting;
  if (forgetting.calibration == Calibration::kRecursion) {
    return {ErrorCode::kConfig,
            "forgetting.calibration: recursion follows a secret model and belongs to d2d_strong; "
            "d2d_perfect keeps none and takes ledger or paper"};
  }
  if (forgetting.calibration == Calibration::kLedger) return Status::Ok();
  const auto promise = Promise::FromBudget(forgetting.budget);
  if (!promise.ok()) return promise.status();
  const double least = d2d::PerfectLeastSteps(constants, static_cast<double>(InputDimension(spec)),
                                              promise.value().epsilon, promise.value().delta);
  if (static_cast<double>(forgetting.erm.steps) >= least) return Status::Ok();
  char text[200];
  std::snprintf(text, sizeof text,
                "forgetting.erm.steps: with calibration: paper a run recovers from its own noise "
                "with at least %.0f steps only; use so many, or calibration: ledger",
                std::ceil(least));
  return {ErrorCode::kConfig, text};
}

const char* WhyNot(const Spec& spec) {
  return spec.forgetting.calibration == Calibration::kPaper
             ? "calibration: paper promises something else, that each update looks like training "
               "anew, and only while half of the data is left; it is for comparison"
             : nullptr;
}

}  // namespace

extern const ModeEntry kD2dPerfectMode;
const ModeEntry kD2dPerfectMode = {
    .name = "d2d_perfect",
    .summary = "descent-to-delete from the published model: steps on all retained events, one draw",
    .why_never_certified = nullptr,
    .is_exact = false,
    .moves_model = true,
    .check = Check,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<PerfectUnlearner>(context);
    },
    .why_not = WhyNot,
};

}  // namespace lethe
