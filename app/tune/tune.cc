#include "app/tune/tune.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <set>
#include <thread>

#include "app/interrupt.h"
#include "app/tune/candidates.h"
#include "engine/spec/retention.h"

namespace lethe {
namespace {

constexpr std::int64_t kLeastPrefix = 2000;
constexpr int kPrefixes = 3;      // the last one is the whole stream
constexpr std::int64_t kEta = 3;  // the ratio of two prefixes, and of the learners that go on
constexpr std::size_t kLeastKept = 4;
// A stated window has to be better than auto by this part of the loss.
constexpr double kWorthwhile = 0.001;
// So has a neighbour: differences below are those of one stream.
constexpr double kWorthAStep = 1e-4;
constexpr std::size_t kPassiveLearners = 3;

double LossOf(const Trial& trial) {
  if (!trial.refused.empty()) return HUGE_VAL;
  return trial.quality.mean_loss.value_or(HUGE_VAL);
}

bool IsBetter(const Trial& a, const Trial& b) { return LossOf(a) < LossOf(b); }

std::int64_t WindowOf(const Spec& spec) {
  if (spec.forgetting.mode != "rewind") return 0;
  const auto plan = Plan::Make(spec);
  if (!plan.ok()) return 0;
  return RewindWindow(spec, plan.value().constants, plan.value().schedule);
}

bool IsExact(const Spec& spec) {
  const ModeEntry* mode = FindMode(spec.forgetting.mode);
  return mode != nullptr && mode->is_exact;
}

class Search {
 public:
  Search(const Spec& base, const std::vector<Record>& records, const TuneOptions& options)
      : base_(base), records_(records), options_(options), rows_(AdmitRows(base, records)) {}

  Result<TuneResult> Run() {
    if (rows_.size() == 0) {
      return Status(ErrorCode::kInput,
                    "none of the " + std::to_string(records_.size()) +
                        " records is a learn event that the model takes; do stream and "
                        "configuration fit?");
    }
    result_.rows = rows_.size();
    result_.refused_rows = rows_.refused;
    planned_ = PlannedRows();
    Halve();
    if (best_ && !Interrupted()) Refine();
    if (best_ && !Interrupted() && base_.forgetting.mode == "rewind") ChooseWindow();
    if (!best_ && !Interrupted()) return Status(ErrorCode::kConfig, why_refused_);
    if (!best_ && !partial_.empty()) {  // interrupted before any learner saw all rows
      result_.trials = partial_;
      best_ = partial_.front();
    }
    SortTrials();
    if (best_) {
      result_.chosen = best_->spec;
      result_.constant = best_->quality.constant;
    }
    if (best_ && !Interrupted()) {
      const Status compared = CompareModes();
      if (!compared.ok() && compared.code() != ErrorCode::kInterrupted) return compared;
    }
    result_.interrupted = Interrupted();
    return std::move(result_);
  }

 private:
  // The best first, and each choice once.
  void SortTrials() {
    std::stable_sort(result_.trials.begin(), result_.trials.end(), IsBetter);
    std::set<std::string> seen;
    std::erase_if(result_.trials, [&seen](const Trial& trial) {
      return !seen.insert(CertificatePart(trial.spec)).second;
    });
  }

  // About how many rows all learners together will see.
  double PlannedRows() const {
    const auto n = static_cast<double>(rows_.size());
    const double runs = options_.runs;
    return n * (runs * 0.7 / 9 + runs * 0.7 / 9 + runs * 0.7 / 9 + runs * 0.3 + 20);
  }

  // Runs the trials over their first `count` rows, in all threads. On all rows, the best of them is
  // the best so far if its loss is smaller by the share `margin`.
  void RunAll(std::vector<Trial>& trials, std::int64_t count, double margin = 0) {
    std::atomic<std::size_t> next = 0;
    const std::size_t most = static_cast<std::size_t>(std::max(1, options_.threads));
    std::atomic<std::size_t> running = std::min(most, std::max<std::size_t>(1, trials.size()));
    std::vector<std::thread> threads;
    for (std::size_t i = running; i > 0; --i) {
      threads.emplace_back([&] {
        for (std::size_t k = next++; k < trials.size() && !Interrupted(); k = next++) {
          RunOne(trials[k], count);
          done_ += static_cast<double>(count);
        }
        --running;
      });
    }
    while (running > 0) {
      options_.on_progress(std::min(0.99, done_ / planned_));
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    for (std::thread& thread : threads) thread.join();
    std::erase_if(trials, [](const Trial& trial) { return trial.rows == 0; });
    for (const Trial& trial : trials) {
      if (!trial.refused.empty()) why_refused_ = trial.refused;
    }
    result_.runs += static_cast<int>(trials.size());
    std::erase_if(trials, [](const Trial& trial) { return !trial.refused.empty(); });
    std::stable_sort(trials.begin(), trials.end(), IsBetter);
    if (count < rows_.size()) partial_ = trials;
    if (!trials.empty() && count == rows_.size()) {
      result_.trials.insert(result_.trials.end(), trials.begin(), trials.end());
      if (!best_ || LossOf(trials.front()) < LossOf(*best_) * (1 - margin)) best_ = trials.front();
    }
  }

  void RunOne(Trial& trial, std::int64_t count) const {
    trial.quality = {};
    trial.refused.clear();
    trial.rows = 0;
    const auto quality = RunTrial(trial.spec, rows_, count, trial.window);
    if (!quality.ok() && quality.status().code() == ErrorCode::kInterrupted) return;
    trial.rows = count;
    if (quality.ok()) {
      trial.quality = quality.value();
    } else {
      trial.refused = quality.status().message();
    }
  }

  Trial NewTrial(const Spec& spec) {
    tried_.insert(CertificatePart(spec));
    // Without deletions all windows of one learner agree until the first one slides; which window
    // is best is asked for the best learner alone.
    return {.spec = spec, .window = 0, .rows = 0, .quality = {}, .refused = {}};
  }

  void Halve() {
    std::vector<Trial> trials;
    const auto most = static_cast<std::size_t>(std::max(1, options_.runs * 7 / 10));
    for (const Spec& spec : Candidates(base_, IsExact(base_), most)) {
      trials.push_back(NewTrial(spec));
    }
    std::int64_t part = 1;
    for (int i = 1; i < kPrefixes; ++i) part *= kEta;
    for (; !Interrupted() && !trials.empty(); part /= kEta) {
      const std::int64_t count =
          std::min(rows_.size(), std::max(kLeastPrefix, rows_.size() / part));
      RunAll(trials, count);
      if (count == rows_.size()) return;
      Keep(trials);
    }
  }

  // Keeps the best third, and the best of each family: what is slow to start may win in the end.
  static void Keep(std::vector<Trial>& trials) {
    const std::size_t enough =
        std::max(kLeastKept, (trials.size() + kEta - 1) / static_cast<std::size_t>(kEta));
    std::set<std::string> families;
    std::vector<Trial> kept;
    for (Trial& trial : trials) {
      const bool is_first = families.insert(Family(trial.spec)).second;
      if (kept.size() < enough || is_first) kept.push_back(std::move(trial));
    }
    trials = std::move(kept);
  }

  // Walks to better neighbours of the best learner, first in large steps.
  void Refine() {
    int left = std::max(0, options_.runs * 3 / 10);
    for (bool fine = false; left > 0 && !Interrupted();) {
      std::vector<Trial> trials;
      for (const Spec& spec : Neighbours(best_->spec, fine)) {
        if (static_cast<int>(trials.size()) < left && !tried_.contains(CertificatePart(spec))) {
          trials.push_back(NewTrial(spec));
        }
      }
      const double before = LossOf(*best_);
      left -= static_cast<int>(trials.size());
      if (!trials.empty()) RunAll(trials, rows_.size(), kWorthAStep);
      if (LossOf(*best_) < before) continue;
      if (fine) return;
      fine = true;
    }
  }

  // Windows for the best learner: auto, parts of the stream, and all of it.
  void ChooseWindow() {
    std::vector<Trial> trials;
    std::set<std::int64_t> seen;
    const auto add = [&](const Retention& retention) {
      Trial trial = NewTrial(best_->spec);
      trial.spec.forgetting.retention = retention;
      trial.window = WindowOf(trial.spec);
      if (2 * trial.window >= rows_.size()) trial.window = 0;  // it never slides
      if (seen.insert(trial.window).second) trials.push_back(trial);
    };
    add(base_.forgetting.retention);
    if (base_.forgetting.retention.time_ms > 0) return;  // a promise in time is not to be changed
    add({});
    for (const std::int64_t part : {4, 16}) {
      const std::int64_t retention = rows_.size() / part;
      if (retention >= 1000) add({.all = false, .events = retention, .time_ms = 0});
    }
    add({.all = true, .events = 0, .time_ms = 0});
    const Retention stated = trials.front().spec.forgetting.retention;
    best_.reset();
    RunAll(trials, rows_.size());
    for (const Trial& trial : trials) {
      if (ToText(trial.spec.forgetting.retention) != ToText(stated)) continue;
      if (LossOf(trial) <= LossOf(*best_) * (1 + kWorthwhile)) best_ = trial;
      break;
    }
  }

  // The best learner of each lambda with steps of one size: what fades faster needs less noise.
  std::vector<Trial> ForNoise() const {
    std::vector<Trial> found;
    std::set<double> lambdas;
    for (const Trial& trial : result_.trials) {
      const LearningSpec& learning = trial.spec.learning;
      if (learning.update != UpdateKind::kSgd || learning.schedule == ScheduleKind::kAdaptive)
        continue;
      if (!lambdas.insert(trial.spec.model.lambda).second) continue;
      found.push_back(trial);
      if (found.size() == kPassiveLearners) break;
    }
    return found;
  }

  // Mode passive with waits that are at most a tenth of the stream.
  void AddPassive(std::vector<Contender>& contenders) const {
    int number = 0;
    for (const Trial& trial : ForNoise()) {
      ++number;
      for (const std::int64_t deadline : {0, 100, 1000, 10000}) {
        if (deadline > rows_.size() / 10) break;
        Contender contender{"passive", trial.spec};
        ForgettingSpec& forgetting = contender.spec.forgetting;
        if (base_.forgetting.mode != "passive") {
          forgetting = {};
          forgetting.budget = base_.forgetting.budget;
          forgetting.mode = "passive";
        }
        forgetting.deadline = {.events = deadline, .event_time_ms = 0};
        contender.name += "/" + std::to_string(number);
        if (deadline > 0) contender.name += ", deadline " + std::to_string(deadline);
        contenders.push_back(std::move(contender));
      }
      if (base_.forgetting.mode != "passive") return;  // one learner will do for a look
    }
  }

  Status CompareModes() {
    std::vector<Contender> contenders;
    Contender none{"none", best_->spec};
    none.spec.forgetting = {};
    none.spec.forgetting.mode = "none";
    contenders.push_back(none);
    const std::string& mode = base_.forgetting.mode;
    if (mode != "passive") contenders.push_back({mode, best_->spec});
    if (mode == "rewind" || mode == "passive") AddPassive(contenders);
    CompareOptions options;
    options.regret = false;
    options.threads = options_.threads;
    options.on_progress = [this](double share) {
      options_.on_progress(std::min(1.0, 0.8 + 0.2 * share));
    };
    auto compared = Compare(contenders, records_, options);
    if (!compared.ok()) return compared.status();
    result_.runs += static_cast<int>(contenders.size());
    result_.modes = std::move(compared).value();
    const auto loss = [](const Comparison& one) {
      return one.result ? one.result->mean_loss.value_or(HUGE_VAL) : HUGE_VAL;
    };
    std::stable_sort(result_.modes.begin(), result_.modes.end(),
                     [&](const Comparison& a, const Comparison& b) { return loss(a) < loss(b); });
    for (const Comparison& one : result_.modes) {
      const bool is_mode = one.contender.spec.forgetting.mode == mode && mode != "none";
      if (!is_mode || !one.result || !one.why_not.empty()) continue;
      result_.chosen = one.contender.spec;
      break;
    }
    return Status::Ok();
  }

  const Spec& base_;
  const std::vector<Record>& records_;
  const TuneOptions& options_;
  const TuneRows rows_;
  TuneResult result_;
  std::set<std::string> tried_;
  std::vector<Trial> partial_;  // of the last prefix
  std::optional<Trial> best_;
  std::string why_refused_ = "no settings could be tried";
  double planned_ = 1;
  std::atomic<double> done_ = 0;
};

}  // namespace

const Comparison* TuneResult::Chosen() const {
  if (!chosen) return nullptr;
  const std::string part = CertificatePart(*chosen);
  for (const Comparison& one : modes) {
    if (CertificatePart(one.contender.spec) == part) return &one;
  }
  return nullptr;
}

const Comparison* TuneResult::WithoutForgetting() const {
  for (const Comparison& one : modes) {
    if (one.contender.name == "none") return &one;
  }
  return nullptr;
}

Result<TuneResult> Tune(const Spec& base, const std::vector<Record>& records,
                        const TuneOptions& options) {
  return Search(base, records, options).Run();
}

}  // namespace lethe
