#include "engine/modes/unlearner.h"
#include "engine/online_run.h"

namespace lethe {
namespace {

// Learns and never forgets: the baseline that every other mode is measured against. A deletion
// removes the bookkeeping of the event and leaves the model as it is.
class NoneUnlearner final : public Unlearner {
 public:
  explicit NoneUnlearner(const ModeContext& context)
      : run_(Loss(context.spec.model.loss, context.spec.model.huber_width), context.constants,
             context.schedule, Door(context.spec.model).model_dimension()) {}

  double Predict(const Vector& x) const override { return run_.Predict(x); }
  double Learn(const Example& example) override { return run_.Learn(example); }
  const Vector& model() const override { return run_.model(); }
  double HalfLife() const override { return run_.HalfLife(); }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    Forgetting forgetting;
    for (const Target& target : batch) forgetting.shift += run_.ledger().Influence(target.index);
    return forgetting;
  }

 private:
  OnlineRun run_;
};

}  // namespace

extern const ModeEntry kNoneMode;
const ModeEntry kNoneMode = {
    .name = "none",
    .summary = "learn only; deletions leave the model as it is (a baseline)",
    .why_never_certified = "mode none does not forget: the model was left as it is",
    .check = [](const Spec&, const Constants&) { return Status::Ok(); },
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<NoneUnlearner>(context);
    },
};

}  // namespace lethe
