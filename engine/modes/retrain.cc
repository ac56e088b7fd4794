#include "engine/modes/exact_unlearner.h"

namespace lethe {
namespace {

// Mode retrain learns all retained events again at a deletion, in order and with their original
// step numbers; deleted events are skipped. It is exact, stores all payloads, and costs one pass
// over them per deletion.
class RetrainUnlearner final : public ExactUnlearner {
 public:
  explicit RetrainUnlearner(const ModeContext& context)
      : ExactUnlearner(context), payloads_(context.payloads) {}

  double Learn(const Example& example) override {
    payloads_.Add({run().ledger().steps()}, example);
    return run().Learn(example);
  }

  void Release(std::span<const Target> batch) override {
    for (const Target& target : batch) payloads_.Remove(target.index);
  }

  Result<Forgetting> Forget(std::span<const Target>) override {
    OnlineRun fresh = NewRun();
    payloads_.ForEach([&fresh](EventIndex index, const Example& example) {
      while (fresh.ledger().steps() < index.value) fresh.Skip();
      fresh.Learn(example);
    });
    while (fresh.ledger().steps() < run().ledger().steps()) fresh.Skip();
    run() = std::move(fresh);
    gradients_ += payloads_.count();
    return Forgetting{};
  }

  std::int64_t DeletionGradients() const override { return gradients_; }

 private:
  Payloads& payloads_;
  std::int64_t gradients_ = 0;
};

}  // namespace

extern const ModeEntry kRetrainMode;
const ModeEntry kRetrainMode = {
    .name = "retrain",
    .summary = "learn the retained events again at each deletion; exact, slow, stores payloads",
    .why_never_certified = nullptr,
    .is_exact = true,
    .moves_model = true,
    .check = [](const Spec&, const Constants&) { return Status::Ok(); },
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<RetrainUnlearner>(context);
    },
    .takes_hashed = true,
};

}  // namespace lethe
