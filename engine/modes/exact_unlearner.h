#pragma once

#include "engine/modes/online_unlearner.h"

namespace lethe {

// The base class of the modes that learn by online gradient descent and forget exactly: without
// noise, by recomputing everything that depends on the event. Threads, ownership and failure are
// those of Unlearner.
class ExactUnlearner : public Unlearner {
 public:
  double SigmaNow(std::span<const Target>) const override { return 0; }
  Vector model() const override { return run_.model(); }
  double SquaredNorm() const override { return run_.squared_norm(); }
  double HalfLife() const override { return run_.HalfLife(); }
  std::int64_t LearnGradients() const override { return run_.ledger().steps(); }
  std::int64_t HeldBytes() const override { return 8 * run_.state_size(); }
  void Save(State& state) override { run_.Save(state); }
  Status Load(const State& state) override { return run_.Load(state); }

 protected:
  explicit ExactUnlearner(const ModeContext& context)
      : spec_(context.spec),
        constants_(context.constants),
        schedule_(context.schedule),
        run_(NewRun()) {}

  // A run before its first event.
  OnlineRun NewRun() const { return NewOnlineRun(spec_, constants_, schedule_); }
  OnlineRun& run() { return run_; }

 private:
  Spec spec_;
  Constants constants_;
  Schedule schedule_;
  OnlineRun run_;
};

}  // namespace lethe
