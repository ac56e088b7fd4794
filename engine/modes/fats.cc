#include <cmath>

#include "engine/archive.h"
#include "engine/door.h"
#include "engine/modes/fats_run.h"
#include "engine/modes/sampler.h"
#include "engine/modes/unlearner.h"

namespace lethe {
namespace {

class SampledChoices final : public FatsChoices {
 public:
  explicit SampledChoices(Sampler sampler) : sampler_(sampler) {}
  std::int64_t Below(std::int64_t n) override { return sampler_.Below(n); }

 private:
  Sampler sampler_;
};

// Rounds of federated averaging at public learn offsets; exact, without noise. Everything that is
// kept is distributed as in a run that never had the deleted events, and so is what follows.
class FatsUnlearner final : public Unlearner {
 public:
  explicit FatsUnlearner(const ModeContext& context)
      : round_every_(context.spec.forgetting.fats.round_every),
        shard_(context.shard),
        random_(context.random),
        payloads_(context.payloads),
        run_(context.spec.forgetting.fats,
             Loss(context.spec.model.loss, context.spec.model.huber_width), context.constants,
             context.schedule.Step(1), Door(context.spec.model).model_dimension(),
             context.payloads) {}

  double Learn(const Example& example) override {
    const double prediction = run_.model().dot(example.x);
    payloads_.Add({learned_++}, example);
    if (learned_ % round_every_ == 0) {
      SampledChoices choices = Choices();
      run_.AddRound(learned_, choices);
      has_changed_ = true;
    }
    return prediction;
  }

  void Release(std::span<const Target> batch) override {
    for (const Target& target : batch) payloads_.Remove(target.index);
  }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    std::vector<std::int64_t> deleted;
    for (const Target& target : batch) deleted.push_back(target.index.value);
    const std::int64_t before = run_.gradients();
    SampledChoices choices = Choices();
    has_changed_ = run_.Delete(deleted, choices) || has_changed_;
    gradients_ += run_.gradients() - before;
    return Forgetting{};
  }

  double SigmaNow(std::span<const Target>) const override { return 0; }
  Vector model() const override { return run_.model(); }
  double SquaredNorm() const override { return run_.model().squaredNorm(); }
  double HalfLife() const override { return HUGE_VAL; }
  std::int64_t DeletionGradients() const override { return gradients_; }

  // The history is written when it has changed, not at every commit.
  void Save(State& state) override {
    SavingArchive position;
    position(learned_, streams_);
    state.Put(Part::kRun, position.Take());
    if (!has_changed_) return;
    SavingArchive history;
    history(run_);
    state.Put(Part::kMode, history.Take());
    has_changed_ = false;
  }

  Status Load(const State& state) override {
    const auto position = state.Get(Part::kRun);
    const auto history = state.Get(Part::kMode);
    LoadingArchive position_archive(position ? *position : std::string_view());
    LoadingArchive history_archive(history ? *history : std::string_view());
    position_archive(learned_, streams_);
    history_archive(run_);
    has_changed_ = false;
    if (position_archive.complete() && history_archive.complete()) return Status::Ok();
    return {ErrorCode::kInput, "the stored rounds cannot be read"};
  }

 private:
  SampledChoices Choices() { return SampledChoices(Sampler(random_, shard_, streams_)); }

  std::int64_t round_every_;
  ShardId shard_;
  RandomSource& random_;
  Payloads& payloads_;
  FatsRun run_;
  std::int64_t learned_ = 0;
  std::uint64_t streams_ = 0;
  std::int64_t gradients_ = 0;
  bool has_changed_ = true;
};

Status Check(const Spec& spec, const Constants&) {
  const FatsSpec& fats = spec.forgetting.fats;
  if (spec.learning.schedule != ScheduleKind::kConstant) {
    return {ErrorCode::kConfig,
            "learning.schedule: mode fats takes steps of one size, learning.eta; use constant"};
  }
  if (!spec.forgetting.deadline.none() || !spec.forgetting.batch_window.none()) {
    return {ErrorCode::kConfig,
            "forgetting.deadline: mode fats replays what came before a deletion, so another one "
            "cannot wait, and it needs no noise that waiting could save; remove deadline and "
            "batch_window"};
  }
  if (fats.clients * fats.batch > fats.round_every) {
    return {ErrorCode::kConfig,
            "forgetting.fats.round_every: must be at least clients times batch, or the first "
            "rounds have no client with enough events"};
  }
  return Status::Ok();
}

}  // namespace

extern const ModeEntry kFatsMode;
const ModeEntry kFatsMode = {
    .name = "fats",
    .summary = "federated averaging on few sampled events; exact, redraws what used the event",
    .why_never_certified = nullptr,
    .is_exact = true,
    .moves_model = true,
    .check = Check,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<FatsUnlearner>(context);
    },
};

}  // namespace lethe
