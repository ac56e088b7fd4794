#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/modes/online_unlearner.h"
#include "engine/modes/unlearner.h"
#include "engine/plan.h"

namespace lethe::proof {

// The mistakes that a mode like rewind can make.
enum class RewindDefect {
  kNone,
  kCopyAsItIs,         // a copy is not brought to the retained events of the swap
  kCopyOverASlide,     // a copy goes on after the window has slid
  kCopyCheckpoint,     // a checkpoint of the copy stays when an event in it is released
  kCheckpoint,         // a checkpoint of the run stays
  kOldestAlone,        // a batch is judged by its oldest event alone, which may have expired
  kCountsRetained,     // the window is counted in retained events
  kPrefetchRemembers,  // what was computed for the next event survives a rewind
  kCheckpointSums,     // a checkpoint forgets the squared gradients of steps per feature
  kCheckpointMemory,   // a checkpoint forgets what else steps per feature remember
  kSlideKeepsSums,     // steps per feature go on after a slide with what they remember
  kCount,
};
inline const char* Name(RewindDefect defect) {
  constexpr const char* kNames[] = {"none",
                                    "copy-as-it-is",
                                    "copy-over-a-slide",
                                    "copy-checkpoint",
                                    "checkpoint",
                                    "oldest-alone",
                                    "counts-retained",
                                    "prefetch-remembers",
                                    "checkpoint-sums",
                                    "checkpoint-memory",
                                    "slide-keeps-sums"};
  return kNames[static_cast<int>(defect)];
}

// Visits the fields of a run and replaces one vector of its steps per feature: by that of another
// run, or by zeros. The first vector is the weights, the second the sums of squared gradients, and
// the third what the rule remembers beside them.
class FeatureStepsEditor {
 public:
  explicit FeatureStepsEditor(int which) : which_(which) {}

  void Clear(OnlineRun& run) { OnlineRun::Fields(run, *this); }
  void Copy(OnlineRun& from, OnlineRun& to) {
    is_reading_ = true;
    OnlineRun::Fields(from, *this);
    is_reading_ = false;
    OnlineRun::Fields(to, *this);
  }

  template <typename... T>
  void operator()(T&... values) {
    (Visit(values), ...);
  }

 private:
  template <typename T>
  void Visit(T&) {}
  void Visit(FeatureSteps& steps) {
    seen_ = 1;
    FeatureSteps::Fields(steps, *this);
    seen_ = 0;
  }
  void Visit(Vector& vector) {
    if (seen_ == 0 || seen_++ != which_) return;
    if (is_reading_) {
      value_ = vector;
    } else if (value_.size() > 0) {
      vector = value_;
    } else {
      vector.setZero();
    }
  }

  int which_;
  int seen_ = 0;  // vectors of the steps so far, from 1; 0: outside of them
  bool is_reading_ = false;
  Vector value_;
};

// Mode rewind, written again in a simple way, with a defect planted. It shows that the tests of the
// real mode can fail. Only what those tests call is there.
class PlantedRewind final : public Unlearner {
 public:
  PlantedRewind(const Plan& plan, std::int64_t window, RewindDefect defect)
      : plan_(plan), window_(window), defect_(defect), run_(New()) {}

  Prediction Learn(const Example& example) override {
    events_.push_back({example, true});
    if (defect_ == RewindDefect::kPrefetchRemembers && ahead_ && ahead_->first == &example &&
        ahead_->second.ledger().steps() == end() + 1) {
      run_ = ahead_->second;
    } else {
      run_.Learn(example);
    }
    ahead_.reset();
    if (window_ > 0 && Length() == 2 * window_) {
      Slide();
    } else if (!has_released_) {
      Offer(run_);
    }
    return {};
  }
  void Prefetch(const Example& example) const override {
    if (defect_ != RewindDefect::kPrefetchRemembers) return;
    ahead_.emplace(&example, run_);
    ahead_->second.Learn(example);
  }
  void Release(std::span<const Target> batch) override {
    for (const Target& target : batch) {
      events_[static_cast<std::size_t>(target.index.value)].second = false;
      const std::int64_t at = target.index.value - anchor_;
      if (at < 0) continue;
      has_released_ = true;
      const bool stays = defect_ == RewindDefect::kCheckpoint ||
                         (defect_ == RewindDefect::kCopyCheckpoint && copy_);
      if (!stays) {
        std::erase_if(checkpoints_,
                      [at](const OnlineRun& run) { return run.ledger().steps() > at; });
      }
      if (copy_ && copy_->ledger().steps() > at) is_stale_ = true;
    }
  }
  Result<Forgetting> Forget(std::span<const Target> batch) override {
    const auto in_window = [this](const Target& target) { return target.index.value >= anchor_; };
    const auto oldest = std::min_element(
        batch.begin(), batch.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
    const bool is_needed = defect_ == RewindDefect::kOldestAlone
                               ? in_window(*oldest)
                               : std::any_of(batch.begin(), batch.end(), in_window);
    if (!is_needed || !has_released_) return Forgetting{};
    if (!copy_ || (is_stale_ && defect_ != RewindDefect::kCopyAsItIs)) GoBack();
    LearnAgain(end(), *copy_);
    run_ = *copy_;
    LetCopyGo();
    has_released_ = false;
    return Forgetting{};
  }
  std::int64_t RewindNs() const override { return has_released_ ? 1 : 0; }
  bool PrepareForget(std::int64_t ns) override {
    if (!copy_) GoBack();
    LearnAgain(std::min(end(), copy_->ledger().steps() + 1 + ns / 60), *copy_);
    return false;
  }

  Vector model() const override { return run_.model(); }
  EventIndex anchor() const override { return {anchor_}; }
  double SigmaNow(std::span<const Target>) const override { return 0; }
  double SquaredNorm() const override { return 0; }
  double HalfLife() const override { return 0; }
  std::int64_t LearnGradients() const override { return 0; }
  std::int64_t HeldBytes() const override { return 0; }
  void Save(State&) override {}
  Status Load(const State&) override { return Status::Ok(); }

 private:
  OnlineRun New() const { return NewOnlineRun(plan_.spec, plan_.constants, plan_.schedule); }
  std::int64_t end() const { return run_.ledger().steps(); }
  std::int64_t Length() const {
    if (defect_ != RewindDefect::kCountsRetained) return end();
    return std::count_if(events_.begin() + anchor_, events_.end(),
                         [](const auto& event) { return event.second; });
  }
  void Offer(const OnlineRun& run) {
    if (run.ledger().steps() % 8 == 0) checkpoints_.push_back(run);
  }
  void GoBack() {
    copy_ = New();
    for (const OnlineRun& run : checkpoints_) {
      if (run.ledger().steps() > copy_->ledger().steps()) copy_ = run;
    }
    if (defect_ == RewindDefect::kCheckpointSums) FeatureStepsEditor(2).Clear(*copy_);
    if (defect_ == RewindDefect::kCheckpointMemory) FeatureStepsEditor(3).Clear(*copy_);
    is_stale_ = false;
  }
  void LetCopyGo() {
    copy_.reset();
    is_stale_ = false;
  }
  void Slide() {
    anchor_ += window_;
    checkpoints_.clear();
    if (defect_ != RewindDefect::kCopyOverASlide) LetCopyGo();
    const std::int64_t length = end() - window_;
    OnlineRun before = run_;
    run_ = New();
    if (defect_ == RewindDefect::kSlideKeepsSums) FeatureStepsEditor(2).Copy(before, run_);
    LearnAgain(length, run_);
    has_released_ = false;
  }
  void LearnAgain(std::int64_t to, OnlineRun& run) {
    while (run.ledger().steps() < to) {
      const auto& [example, is_retained] =
          events_[static_cast<std::size_t>(anchor_ + run.ledger().steps())];
      is_retained ? static_cast<void>(run.Learn(example)) : run.Skip();
      if (!is_stale_ || defect_ == RewindDefect::kCopyCheckpoint) Offer(run);
    }
  }

  Plan plan_;
  std::int64_t window_;
  RewindDefect defect_;
  OnlineRun run_;
  std::int64_t anchor_ = 0;
  std::vector<std::pair<Example, bool>> events_;  // and whether they are retained
  std::vector<OnlineRun> checkpoints_;
  std::optional<OnlineRun> copy_;
  bool is_stale_ = false;
  bool has_released_ = false;
  mutable std::optional<std::pair<const Example*, OnlineRun>> ahead_;
};

}  // namespace lethe::proof
