// Mode rewind against runs that never saw the deleted events. After every step of a random script
// the model must have the bits of a fresh run from the anchor over the events that it may know.
#include <algorithm>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/modes/online_unlearner.h"
#include "engine/plan.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_random.h"
#include "tests/support/proof_rewind.h"
#include "tests/support/sparse_events.h"

namespace lethe::proof::rewind_test {
namespace {

Spec RandomSpec(Dice& dice, std::int64_t window) {
  Spec spec = PassiveSpec();
  spec.model.loss = static_cast<LossKind>(dice.Below(3));
  spec.model.dimension = 1 + dice.Below(4);
  if (dice.Chance(0.4)) spec.model.hash_bits = 1 + dice.Below(7);
  spec.model.bias = dice.Chance(0.3);
  spec.model.radius = dice.LogUniform(0.1, 20);
  spec.model.lambda = dice.LogUniform(1e-4, 0.3);
  spec.learning.schedule = static_cast<ScheduleKind>(dice.Below(5));
  spec.learning.eta = dice.LogUniform(1e-3, 0.5);
  spec.learning.horizon.events = 1 + dice.Below(1000);
  // Dice of its own, so that the rule does not change the script.
  Dice rule(static_cast<std::uint64_t>(1e9 * spec.model.radius));
  if (rule.Chance(0.5)) {
    spec.learning.update = static_cast<UpdateKind>(1 + rule.Below(3));
    spec.learning.schedule = ScheduleKind::kConstant;
  }
  if (spec.learning.schedule == ScheduleKind::kHorizon) spec.learning.eta.reset();
  spec.forgetting.mode = "rewind";
  if (dice.Chance(0.1)) {
    spec.forgetting.retention.all = true;
  } else {
    spec.forgetting.retention.events = 2 * window;
  }
  return spec;
}

Example RandomExample(Dice& dice, const ModelSpec& model) {
  const double y = dice.Chance(0.5) ? 1 : -1;
  if (model.hash_bits) return SparseEvent(dice, model, 1 + dice.Below(5), dice.Uniform(), y);
  Example example{Vector(model.dimension + (model.bias ? 1 : 0)), y, {}};
  example.x.setOnes();
  example.x.head(model.dimension) = dice.Direction(model.dimension, dice.Uniform());
  return example;
}

// The mode, and beside it the events that its model may know by the rules of docs/guarantee.md,
// kept in the simplest way.
class Pair {
 public:
  // Without a defect, of the real mode.
  Pair(const Plan& plan, std::int64_t window, std::optional<RewindDefect> defect)
      : plan_(plan), window_(window) {
    if (defect) {
      mode_ = std::make_unique<PlantedRewind>(plan_, window, *defect);
    } else {
      mode_ = MakeUnlearner(plan_, {0}, random_, payloads_);
    }
  }

  void Prefetch(const Example& example) const { mode_->Prefetch(example); }
  // Some of the next rewind, on a copy, if there is something to rewind.
  void Prepare(std::int64_t ns) {
    if (mode_->RewindNs() > 0) mode_->PrepareForget(ns);
  }

  void Learn(const Example& example) {
    mode_->Learn(example);
    events_.push_back(example);
    is_retained_.push_back(true);
    is_known_.push_back(true);
    if (window_ == 0 || size() - anchor_ < 2 * window_) return;
    anchor_ += window_;
    is_known_ = is_retained_;
  }
  void Release(const std::vector<std::int64_t>& indices) {
    for (const std::int64_t index : indices) is_retained_[static_cast<std::size_t>(index)] = false;
    mode_->Release(Targets(indices));
  }
  void Forget(const std::vector<std::int64_t>& indices) {
    ASSERT_TRUE(mode_->Forget(Targets(indices)).ok());
    if (std::any_of(indices.begin(), indices.end(), [&](auto i) { return i >= anchor_; })) {
      is_known_ = is_retained_;
    }
  }

  Vector Expected() const {
    OnlineRun run = NewOnlineRun(plan_.spec, plan_.constants, plan_.schedule);
    for (std::int64_t i = anchor_; i < size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      is_known_[at] ? static_cast<void>(run.Learn(events_[at])) : run.Skip();
    }
    return run.model();
  }
  Vector Model() const { return mode_->model(); }
  bool AgreesOnTheAnchor() const { return mode_->anchor().value == anchor_; }
  std::int64_t size() const { return static_cast<std::int64_t>(events_.size()); }
  bool IsRetained(std::int64_t index) const {
    return is_retained_[static_cast<std::size_t>(index)];
  }

 private:
  static std::vector<Target> Targets(const std::vector<std::int64_t>& indices) {
    std::vector<Target> targets;
    for (const std::int64_t index : indices) targets.push_back({{index}, {}});
    return targets;
  }

  Plan plan_;
  std::int64_t window_;  // 0: no end
  KeyedRandom random_{1};
  MemoryPayloads payloads_;
  std::unique_ptr<Unlearner> mode_;
  std::int64_t anchor_ = 0;
  std::vector<Example> events_;
  std::vector<bool> is_retained_;
  std::vector<bool> is_known_;  // to the model
};

// Requests come at once or wait, and a batch may hold several of them, from before the anchor too.
// In some scripts most deletions are of recent events, and in some a copy works ahead, so that
// deletions and slides meet it at any position. The next event is prefetched now and then. Returns
// where the model was another one; empty if it never was.
std::string Difference(std::uint64_t seed, std::optional<RewindDefect> defect) {
  Dice dice(seed);
  const std::int64_t window = dice.Chance(0.05) ? 300 + dice.Below(300) : 2 + dice.Below(40);
  const Spec spec = RandomSpec(dice, window);
  const auto plan = Plan::Make(spec);
  if (!plan.ok()) return plan.status().message();
  Pair pair(plan.value(), spec.forgetting.retention.all ? 0 : window, defect);
  const double deletions = dice.LogUniform(0.005, 0.5);
  const double serving = dice.Chance(0.5) ? 1 : dice.LogUniform(0.01, 0.5);
  const double copying = dice.Chance(0.5) ? 0 : dice.LogUniform(0.05, 1);
  const std::int64_t reach = dice.Chance(0.5) ? 5 : 10 * window;  // how old a deleted event may be
  std::vector<std::int64_t> waiting;
  Example next = RandomExample(dice, spec.model);
  for (std::int64_t left = dice.Below(5 * window); left >= 0; --left) {
    pair.Learn(next);
    next = RandomExample(dice, spec.model);
    if (dice.Chance(0.3)) pair.Prefetch(next);
    if (dice.Chance(deletions)) {
      std::set<std::int64_t> batch;
      for (std::int64_t i = dice.Below(4); i >= 0; --i) {
        const std::int64_t index = pair.size() - 1 - dice.Below(std::min(reach, pair.size()));
        if (pair.IsRetained(index)) batch.insert(index);
      }
      pair.Release({batch.begin(), batch.end()});
      waiting.insert(waiting.end(), batch.begin(), batch.end());
    }
    if (dice.Chance(copying)) pair.Prepare(dice.Below(60 * window));
    if (!waiting.empty() && dice.Chance(serving)) {
      pair.Forget(waiting);
      waiting.clear();
    }
    if (!pair.AgreesOnTheAnchor() || pair.Model() != pair.Expected()) {
      return "seed " + std::to_string(seed) + ", " + std::to_string(pair.size()) + " events";
    }
  }
  return {};
}

TEST(Rewind, HasTheBitsOfAFreshRunAfterEveryStep) {
  for (std::uint64_t seed = 1; seed <= 6000; ++seed) ASSERT_EQ(Difference(seed, {}), "");
}

TEST(Rewind, TheScriptsCatchEveryPlantedError) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    ASSERT_EQ(Difference(seed, RewindDefect::kNone), "");
  }
  for (int i = 1; i < static_cast<int>(RewindDefect::kCount); ++i) {
    const auto defect = static_cast<RewindDefect>(i);
    std::uint64_t seed = 1;
    while (seed <= 4000 && Difference(seed, defect).empty()) ++seed;
    std::cout << Name(defect) << ": caught by script " << seed << "\n";
    EXPECT_LE(seed, 4000u) << Name(defect);
  }
}

// Mode retrain is rewind with a window without an end.
TEST(Rewind, OverAllEventsHasTheBitsOfRetrain) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Dice dice(seed);
    Spec spec = RandomSpec(dice, 10);
    spec.forgetting.retention = {.all = true, .events = 0};
    const Plan rewind = Plan::Make(spec).value();
    spec.forgetting.mode = "retrain";
    spec.forgetting.retention = {};
    const Plan retrain = Plan::Make(spec).value();
    KeyedRandom random(1);
    MemoryPayloads payloads[2];
    const std::unique_ptr<Unlearner> modes[] = {MakeUnlearner(rewind, {0}, random, payloads[0]),
                                                MakeUnlearner(retrain, {0}, random, payloads[1])};
    for (std::int64_t i = 0; i < 300; ++i) {
      const Example example = RandomExample(dice, spec.model);
      const std::vector<Target> batch = {{{i / 3}, {}}};
      for (const auto& mode : modes) {
        mode->Learn(example);
        if (i % 3 != 2) continue;
        mode->Release(batch);
        ASSERT_TRUE(mode->Forget(batch).ok());
      }
      ASSERT_EQ(modes[0]->model(), modes[1]->model()) << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace lethe::proof::rewind_test
