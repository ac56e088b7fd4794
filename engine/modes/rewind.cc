#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "engine/base/archive.h"
#include "engine/modes/checkpoints.h"
#include "engine/modes/online_unlearner.h"
#include "engine/spec/retention.h"
#include "engine/spec/rewind_cost.h"

namespace lethe {
namespace {

constexpr std::int64_t kMostBytesInMemory = std::int64_t{512} << 20;

// Modes rewind and retrain (docs/guarantee.md, "Rewind"). The model is one run of online gradient
// descent that starts from zero at an event called the anchor, and has learned the retained events
// from there on. Steps count from the anchor; a deleted event keeps its index and takes no step.
//
// A deletion takes the newest checkpoint that has not learned the oldest deleted event, and learns
// the retained events after it again. When the run is 2 W events long, the window slides: the
// anchor advances by W, and a fresh run learns the retained events from there. With a window in
// time the shard says when, and where the new anchor is. Mode retrain is the same with a window
// that has no end.
//
// Invariant: run_ is what a run from the anchor over some set M of events has. M is the retained
// events, plus those that were released and that no later rewind or slide has passed. Which events
// these are depends on positions alone. A checkpoint has learned retained events only: it is
// destroyed as soon as an event in it is released, and while run_ has a released event
// (has_released_), no new one is made. Checkpoints are lost at a restart, so the model must not
// depend on which there are, and it does not: every one continues with the same bits.
//
// A long rewind is prepared on a copy (copy_), in slices, while run_ goes on learning. The copy
// lays checkpoints too. If an event that it has passed is released, the copy is stale: it makes no
// further checkpoint, and must go back to one before that event. Forget does so at the latest, thus
// a stale copy never becomes run_. After three such rounds the last one is done in one go. A slide
// throws the copy away.
class RewindUnlearner final : public Unlearner {
 public:
  RewindUnlearner(const ModeContext& context, std::int64_t window)
      : spec_(context.spec),
        constants_(context.constants),
        schedule_(context.schedule),
        payloads_(context.payloads),
        window_(window),
        is_in_time_(RewindWindowMs(context.spec.forgetting) > 0),
        ns_per_position_(RewindNsPerPosition(spec_)),
        run_(NewRun()),
        checkpoints_(run_.state_size()) {}

  Prediction Learn(const Example& example) override {
    KeepInMemory();
    payloads_.Add({anchor_ + run_.ledger().steps()}, example);
    Prediction prediction = run_.Learn(example);
    if (window_ > 0 && run_.ledger().steps() == 2 * window_) {
      // The slide replaces the run, which owns the scores.
      scores_.assign(prediction.scores.begin(), prediction.scores.end());
      prediction.scores = scores_;
      SlideTo({anchor_ + window_});
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
      if (copy_ && copy_->ledger().steps() > target.index.value - anchor_) is_stale_ = true;
    }
  }

  // Every event of the batch that is still in the model was released and is after the anchor.
  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const bool is_in_window = std::any_of(batch.begin(), batch.end(), [this](const Target& target) {
      return target.index.value >= anchor_;
    });
    if (has_released_ && is_in_window) Rewind();
    return Forgetting{};
  }

  void SlideTo(EventIndex anchor) override {
    const std::int64_t last = anchor_ + end();
    LETHE_CHECK(anchor.value > anchor_ && anchor.value <= last);
    anchor_ = anchor.value;
    ++slides_;
    payloads_.DropBefore(anchor);
    checkpoints_.Clear();
    LetCopyGo();
    run_ = NewRun();
    LearnAgain(last - anchor_, run_);
    has_released_ = false;
  }

  // Where the rewind begins is public: checkpoints lie at public positions and are lost at a
  // restart, neither of which depends on a payload.
  std::int64_t RewindNs() const override {
    if (!has_released_) return 0;
    const OnlineRun* const from = copy_ && !is_stale_ ? &*copy_ : checkpoints_.Newest(end());
    const std::int64_t positions = end() - (from != nullptr ? from->ledger().steps() : 0);
    return std::max<std::int64_t>(
        1, positions * ns_per_position_ + RewindNsToBegin(run_.state_size()));
  }

  bool PrepareForget(std::int64_t ns) override {
    KeepInMemory();
    if (!copy_) GoBack();
    const std::int64_t positions = std::max<std::int64_t>(1, ns / ns_per_position_);
    LearnAgain(std::min(end(), copy_->ledger().steps() + positions), *copy_);
    if (copy_->ledger().steps() < end()) return false;
    if (!is_stale_) return true;
    if (++rounds_ >= kMostRounds) return true;  // Forget does the rest
    GoBack();
    return false;
  }

  double SigmaNow(std::span<const Target>) const override { return 0; }
  Vector model() const override { return run_.model(); }
  double SquaredNorm() const override { return run_.squared_norm(); }
  double HalfLife() const override { return run_.HalfLife(); }
  std::int64_t window() const override { return window_; }
  bool expires() const override { return window_ > 0 || is_in_time_; }
  EventIndex anchor() const override { return {anchor_}; }
  std::int64_t slides() const override { return slides_; }
  std::int64_t LearnGradients() const override { return anchor_ + run_.ledger().steps(); }
  std::int64_t DeletionGradients() const override { return gradients_; }
  std::int64_t HeldBytes() const override {
    return (copy_ ? 16 : 8) * run_.state_size() + checkpoints_.bytes();
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
    LetCopyGo();
    const auto saved = state.Get(Part::kMode);
    if (!saved) {            // mode retrain did not write this part before
      has_released_ = true;  // a request may be waiting
      return Status::Ok();
    }
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
                                   ". Set forgetting.retention to twice the window of the state, "
                                   "or begin anew with another state.path."};
  }

 private:
  OnlineRun NewRun() const {
    return NewOnlineRun(spec_, constants_, schedule_, Ledger::Account::kStepsOnly);
  }

  // A window is read again and again. The whole stream may be too large for the memory, and so may
  // a window in time, because nobody knows how many events will come.
  void KeepInMemory() {
    if (!expires() || is_in_memory_) return;
    payloads_.KeepInMemory(is_in_time_ ? kMostBytesInMemory
                                       : std::numeric_limits<std::int64_t>::max());
    is_in_memory_ = true;
  }

  std::int64_t end() const { return run_.ledger().steps(); }

  // The copy begins at the newest checkpoint. All checkpoints that are left are older than every
  // released event.
  void GoBack() {
    const OnlineRun* const checkpoint = checkpoints_.Newest(end());
    copy_ = checkpoint != nullptr ? *checkpoint : NewRun();
    is_stale_ = false;
  }

  void LetCopyGo() {
    copy_.reset();
    is_stale_ = false;
    rounds_ = 0;
  }

  void Rewind() {
    KeepInMemory();
    if (!copy_ || is_stale_) GoBack();
    LearnAgain(end(), *copy_);
    run_ = *std::move(copy_);
    LetCopyGo();
    has_released_ = false;
  }

  // Takes the run to `end` steps over the retained events, and makes checkpoints on the way.
  void LearnAgain(std::int64_t end, OnlineRun& run) {
    const auto offer = [&] {
      if (!is_stale_) checkpoints_.Offer(run);
    };
    const auto skip_to = [&](std::int64_t steps) {
      while (run.ledger().steps() < steps) {
        run.Skip();
        offer();
      }
    };
    const EventIndex first{anchor_ + run.ledger().steps()};
    payloads_.ForEachIn(first, {anchor_ + end}, [&](EventIndex index, const Example& example) {
      skip_to(index.value - anchor_);
      run.Learn(example);
      offer();
      ++gradients_;
    });
    skip_to(end);
  }

  static constexpr int kMostRounds = 3;  // on a copy; what is left then is done in one go

  Spec spec_;
  Constants constants_;
  Schedule schedule_;
  Payloads& payloads_;
  std::int64_t window_;  // W; 0: it has no end, or is one in time
  bool is_in_time_;      // the shard decides when the window slides, because it knows the time
  std::int64_t ns_per_position_;
  std::int64_t anchor_ = 0;
  std::int64_t slides_ = 0;
  OnlineRun run_;
  Checkpoints checkpoints_;
  bool has_released_ = false;      // run_ may have learned an event that was released since
  std::optional<OnlineRun> copy_;  // the next run_, in preparation
  bool is_stale_ = false;          // the copy has passed an event that was released since
  int rounds_ = 0;                 // how often it became so
  bool is_in_memory_ = false;
  std::vector<double> scores_;  // of the last prediction, if a slide followed it
  std::int64_t gradients_ = 0;  // of rewinds and slides
};

Status CheckWindowInTime(const ForgettingSpec& forgetting) {
  if (forgetting.retention.time_ms < kLeastRetentionMs) {
    return {ErrorCode::kConfig, "forgetting.retention: " + ToText(forgetting.retention) +
                                    " is too short, because the clocks of two machines may "
                                    "differ by a second; at least " +
                                    std::to_string(kLeastRetentionMs / 1000) + "s"};
  }
  if (forgetting.batch_window.event_time_ms <= RewindWindowMs(forgetting)) return Status::Ok();
  return {ErrorCode::kConfig,
          "forgetting.batch_window: it is longer than the window, which is half of "
          "forgetting.retention (" +
              ToText(forgetting.retention) +
              "); the events would expire before their deletion is served. Set it to at most " +
              ToText(Retention{.time_ms = RewindWindowMs(forgetting)})};
}

Status CheckRewind(const Spec& spec, const Constants&) {
  const ForgettingSpec& forgetting = spec.forgetting;
  const Retention& retention = forgetting.retention;
  if (retention.time_ms > 0) return CheckWindowInTime(forgetting);
  if (retention.events == 0) return Status::Ok();
  if (retention.events < kLeastRetention) {
    return {ErrorCode::kConfig,
            "forgetting.retention: a window of " + std::to_string(retention.events / 2) +
                " events learns nothing; at least " + std::to_string(kLeastRetention)};
  }
  if (forgetting.batch_window.events <= retention.events / 2) return Status::Ok();
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
    .takes_classes = true,
    .takes_weights = true,
    .takes_any_steps = true,
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
    .takes_classes = true,
    .takes_weights = true,
    .takes_any_steps = true,
};

}  // namespace lethe
