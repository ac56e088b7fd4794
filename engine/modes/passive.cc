#include "engine/base/check.h"
#include "engine/modes/online_unlearner.h"
#include "engine/privacy/horizon.h"

namespace lethe {
namespace {

// Mode passive: OLU Algorithm 1 with the ledger's noise. A deletion is one noise draw, and no
// payload is ever stored. What has faded is dropped (Horizon), so the memory is bounded too.
//
// In the reference world a deleted event is a step on the regulariser alone. A state from before
// this definition keeps the one that it began with, in which it is no step.
class PassiveUnlearner final : public OnlineUnlearner {
 public:
  explicit PassiveUnlearner(const ModeContext& context)
      : OnlineUnlearner(context), horizon_(HorizonOf(context)), next_drop_(horizon_.period) {
    run().SetBlank(Ledger::Blank::kRegulariser);
  }

  Prediction Learn(const Example& example) override {
    const Prediction prediction = run().Learn(example);
    if (run().ledger().steps() == next_drop_) Drop();
    return prediction;
  }

  EventIndex anchor() const override { return {run().ledger().first()}; }
  bool covers_old() const override { return horizon_.period > 0; }
  Ledger::Blank blank() const override { return run().ledger().blank(); }

  Result<Forgetting> ForgetUnknown(const std::optional<KeyHash>& subject) override {
    return CalibrateAndDraw({calibrator().HoldUnknown(subject, run())});
  }

 private:
  static Horizon HorizonOf(const ModeContext& context) {
    const auto horizon = Horizon::Of(context.spec, context.constants, context.schedule);
    LETHE_CHECK(horizon.ok());  // Plan::Make has refused it otherwise
    return horizon.value();
  }

  void Drop() {
    next_drop_ += horizon_.period;
    const std::int64_t first = run().ledger().FadedBefore(Horizon::kFaded, horizon_.keep);
    if (first == run().ledger().first()) return;
    run().DropBefore(first);
    calibrator().DropBefore(first);
  }

  void SaveMore(SavingArchive& archive) override { archive(blank()); }
  void LoadMore(LoadingArchive& archive) override {
    Ledger::Blank blank = Ledger::Blank::kNoStep;
    if (!archive.at_end()) archive(blank);
    run().SetBlank(blank);
    if (horizon_.period == 0) return;
    next_drop_ = (run().ledger().steps() / horizon_.period + 1) * horizon_.period;
  }

  Horizon horizon_;
  std::int64_t next_drop_;  // the number of steps at which events are dropped next; 0: never
};

Status Check(const Spec& spec, const Constants&) {
  const double norm = spec.forgetting.shrink.norm;
  if (norm == 0 || (norm >= 1e-30 && norm <= 1e30)) return Status::Ok();
  return {ErrorCode::kConfig, "forgetting.shrink: must be between 1e-30 and 1e30, or auto, or off"};
}

}  // namespace

extern const ModeEntry kPassiveMode;
const ModeEntry kPassiveMode = {
    .name = "passive",
    .summary = "one calibrated noise draw per deletion, no extra work, no payloads stored",
    .why_never_certified = nullptr,
    .is_exact = false,
    .moves_model = false,
    .check = Check,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<PassiveUnlearner>(context);
    },
    .takes_hashed = true,
    .takes_classes = true,
    .takes_weights = true,
};

}  // namespace lethe
