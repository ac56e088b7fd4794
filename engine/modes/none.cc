#include "engine/modes/online_unlearner.h"

namespace lethe {
namespace {

// Mode none learns and never forgets: the baseline for all other modes. A deletion removes the
// event from the state and leaves the model as it is.
class NoneUnlearner final : public OnlineUnlearner {
 public:
  explicit NoneUnlearner(const ModeContext& context) : OnlineUnlearner(context) {}

  void Release(std::span<const Target>) override {}
  double SigmaNow(std::span<const Target>) const override { return 0; }
  Result<Forgetting> Forget(std::span<const Target> batch) override {
    Forgetting forgetting;
    for (const Target& target : batch) forgetting.shift += run().ledger().Influence(target.index);
    return forgetting;
  }
};

}  // namespace

extern const ModeEntry kNoneMode;
const ModeEntry kNoneMode = {
    .name = "none",
    .summary = "learn only; deletions leave the model as it is (a baseline)",
    .why_never_certified = "mode none does not forget: the model was left as it is",
    .is_exact = false,
    .moves_model = false,
    .check = [](const Spec&, const Constants&) { return Status::Ok(); },
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<NoneUnlearner>(context);
    },
    .takes_hashed = true,
    .takes_classes = true,
    .takes_weights = true,
    .takes_any_steps = true,
};

}  // namespace lethe
