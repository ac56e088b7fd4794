#include <algorithm>

#include "engine/base/archive.h"
#include "engine/modes/checkpoints.h"
#include "engine/modes/online_unlearner.h"
#include "engine/spec/retention.h"

namespace lethe {
namespace {

// Modes rewind and retrain (docs/guarantee.md, "Rewind"). The model is one run of online gradient
// descent that starts from zero at an event called the anchor, and has learned the retained events
// from there on. Steps count from the anchor; a deleted event keeps its index and takes no step.
//
// A deletion takes the newest checkpoint that has not learned the oldest deleted event, and learns
// the retained events after it again. When the run is 2 W events long, the window slides: the
// anchor advances by W, and a fresh run learns the retained events from there. Mode retrain is the
// same with a window that has no end.
//
// Invariant: run_ is what a run from the anchor over some set M of events has. M is the retained
// events, plus those that were released and that no later rewind or slide has passed. Which events
// these are depends on positions alone. A checkpoint has learned retained events only: it is
// destroyed as soon as an event in it is released, and while run_ has a released event
// (has_released_), no new one is made. Checkpoints are lost at a restart, so the model must not
// depend on which there are, and it does not: every one continues with the same bits.
class RewindUnlearner final : public Unlearner {
 public:
  RewindUnlearner(const ModeContext& context, std::int64_t window)
      : model_(context.spec.model),
        constants_(context.constants),
        schedule_(context.schedule),
        payloads_(context.payloads),
        window_(window),
        run_(NewRun()),
        checkpoints_(run_.model_dimension()) {}

  double Learn(const Example& example) override {
    KeepInMemory();
    payloads_.Add({anchor_ + run_.ledger().steps()}, example);
    const double prediction = run_.Learn(example);
    if (run_.ledger().steps() == 2 * window_) {
      Slide();
    } else if (!has_released_) {
      checkpoints_.Offer(run_);
    }
    return prediction;
  }

  void Prefetch(const Example& example) const override { run_.Prefetch(example); }

  void Release(std::span<const Target> batch) override {
    for (const Target& target : batch) {
      payloads_.Remove(target.index);
      if (target.index.value < anchor_) continue;
      checkpoints_.DropAfter(target.index.value - anchor_);
      has_released_ = true;
    }
  }

  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const bool is_in_window = std::any_of(batch.begin(), batch.end(), [this](const Target& target) {
      return target.index.value >= anchor_;
    });
    if (is_in_window) Rewind();
    return Forgetting{};
  }

  double SigmaNow(std::span<const Target>) const override { return 0; }
  Vector model() const override { return run_.model(); }
  double SquaredNorm() const override { return run_.squared_norm(); }
  double HalfLife() const override { return run_.HalfLife(); }
  std::int64_t window() const override { return window_; }
  EventIndex anchor() const override { return {anchor_}; }
  std::int64_t slides() const override { return slides_; }
  std::int64_t LearnGradients() const override { return anchor_ + run_.ledger().steps(); }
  std::int64_t DeletionGradients() const override { return gradients_; }
  std::int64_t HeldBytes() const override {
    return 8 * run_.model_dimension() + checkpoints_.bytes();
  }

  void Save(State& state) override {
    run_.Save(state);
    SavingArchive archive;
    archive(window_, anchor_, slides_, has_released_);
    state.Put(Part::kMode, archive.Take());
  }

  Status Load(const State& state) override {
    LETHE_RETURN_IF_ERROR(run_.Load(state));
    checkpoints_.Clear();
    const auto saved = state.Get(Part::kMode);
    if (!saved) return Status::Ok();  // mode retrain did not write this part before
    std::int64_t window = 0;
    LoadingArchive archive(*saved);
    archive(window, anchor_, slides_, has_released_);
    if (!archive.complete() || anchor_ < 0 || slides_ < 0) {
      return {ErrorCode::kInput, "the stored window cannot be read"};
    }
    if (window == window_) return Status::Ok();
    return {ErrorCode::kInput, "the state was made with a window of " + std::to_string(window) +
                                   " events, and this configuration has one of " +
                                   std::to_string(window_) +
                                   ". Set forgetting.retention to twice the window of the state."};
  }

 private:
  OnlineRun NewRun() const {
    return NewOnlineRun(model_, constants_, schedule_, Ledger::Account::kStepsOnly);
  }

  // A window is read again and again. The whole stream may be too large for the memory.
  void KeepInMemory() {
    if (window_ == 0 || is_in_memory_) return;
    payloads_.KeepInMemory();
    is_in_memory_ = true;
  }

  // All checkpoints that are left are older than every released event.
  void Rewind() {
    KeepInMemory();
    const std::int64_t end = run_.ledger().steps();
    const OnlineRun* checkpoint = checkpoints_.Newest(end);
    OnlineRun again = checkpoint != nullptr ? *checkpoint : NewRun();
    LearnAgain(end, again);
    run_ = std::move(again);
  }

  void Slide() {
    anchor_ += window_;
    ++slides_;
    payloads_.DropBefore({anchor_});
    checkpoints_.Clear();
    run_ = NewRun();
    LearnAgain(window_, run_);
  }

  // Takes the run to `end` steps over the retained events, and makes checkpoints on the way.
  void LearnAgain(std::int64_t end, OnlineRun& run) {
    const auto skip_to = [&](std::int64_t steps) {
      while (run.ledger().steps() < steps) {
        run.Skip();
        checkpoints_.Offer(run);
      }
    };
    const EventIndex first{anchor_ + run.ledger().steps()};
    payloads_.ForEachFrom(first, [&](EventIndex index, const Example& example) {
      skip_to(index.value - anchor_);
      run.Learn(example);
      checkpoints_.Offer(run);
      ++gradients_;
    });
    skip_to(end);
    has_released_ = false;
  }

  ModelSpec model_;
  Constants constants_;
  Schedule schedule_;
  Payloads& payloads_;
  std::int64_t window_;  // W; 0: it has no end
  std::int64_t anchor_ = 0;
  std::int64_t slides_ = 0;
  OnlineRun run_;
  Checkpoints checkpoints_;
  bool has_released_ = false;  // run_ may have learned an event that was released since
  bool is_in_memory_ = false;
  std::int64_t gradients_ = 0;  // of rewinds and slides
};

Status CheckRewind(const Spec& spec, const Constants&) {
  const ForgettingSpec& forgetting = spec.forgetting;
  if (forgetting.retention.events == 0) return Status::Ok();
  if (forgetting.retention.events < kLeastRetention) {
    return {ErrorCode::kConfig, "forgetting.retention: a window of " +
                                    std::to_string(forgetting.retention.events / 2) +
                                    " events learns nothing; at least " +
                                    std::to_string(kLeastRetention)};
  }
  if (forgetting.batch_window.events <= forgetting.retention.events / 2) return Status::Ok();
  return {ErrorCode::kConfig,
          "forgetting.batch_window: " + std::to_string(forgetting.batch_window.events) +
              " events are more than the window, which is half of forgetting.retention; the "
              "events would expire before their deletion is served"};
}

}  // namespace

extern const ModeEntry kRewindMode;
const ModeEntry kRewindMode = {
    .name = "rewind",
    .summary = "learn the events after a deleted one again, over a window; exact, stores payloads",
    .why_never_certified = nullptr,
    .is_exact = true,
    .moves_model = true,
    .check = CheckRewind,
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<RewindUnlearner>(
          context, RewindWindow(context.spec, context.constants, context.schedule));
    },
    .takes_hashed = true,
};

extern const ModeEntry kRetrainMode;
const ModeEntry kRetrainMode = {
    .name = "retrain",
    .summary = "rewind over the whole stream; exact, stores all payloads",
    .why_never_certified = nullptr,
    .is_exact = true,
    .moves_model = true,
    .check = [](const Spec&, const Constants&) { return Status::Ok(); },
    .make = [](const ModeContext& context) -> std::unique_ptr<Unlearner> {
      return std::make_unique<RewindUnlearner>(context, 0);
    },
    .takes_hashed = true,
};

}  // namespace lethe
