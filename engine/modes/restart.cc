#include <algorithm>

#include "engine/base/archive.h"
#include "engine/modes/exact_unlearner.h"

namespace lethe {
namespace {

// Mode restart discards the model and begins anew when an event that the model has learned is
// deleted. It is exact, costs nothing and stores no payload. The decision to restart depends on
// positions alone, which are public.
class RestartUnlearner final : public ExactUnlearner {
 public:
  explicit RestartUnlearner(const ModeContext& context) : ExactUnlearner(context) {}

  Prediction Learn(const Example& example) override {
    ++learned_;
    return run().Learn(example);
  }

  void Release(std::span<const Target>) override {}
  std::int64_t LearnGradients() const override { return learned_; }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const bool is_in_model = std::any_of(batch.begin(), batch.end(), [this](const Target& target) {
      return target.index.value >= started_;
    });
    if (is_in_model) {
      run() = NewRun();
      started_ = learned_;
    }
    return Forgetting{};
  }

  void Save(State& state) override {
    ExactUnlearner::Save(state);
    SavingArchive archive;
    archive(learned_, started_);
    state.Put(Part::kMode, archive.Take());
  }
  Status Load(const State& state) override {
    const auto bytes = state.Get(Part::kMode);
    LoadingArchive archive(bytes ? *bytes : std::string_view());
    archive(learned_, started_);
    if (!archive.complete()) return {ErrorCode::kInput, "the stored positions cannot be read"};
    return ExactUnlearner::Load(state);
  }

 private:
  std::int64_t learned_ = 0;
  std::int64_t started_ = 0;  // the first index that the present model has learned
};

}  // namespace

extern const ModeEntry kRestartMode;
const ModeEntry kRestartMode = {
    .name = "restart",
    .summary = "begin anew when a learned event is deleted; exact, free, forgets everything",
    .why_never_certified = nullptr,
    .is_exact = true,
    .moves_model = true,
    .check = [](const Spec&, const Constants&) { return Status::Ok(); },
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<RestartUnlearner>(context);
    },
    .takes_hashed = true,
    .takes_classes = true,
    .takes_weights = true,
    .takes_any_steps = true,
};

}  // namespace lethe
