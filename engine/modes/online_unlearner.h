#pragma once

#include <unordered_map>
#include <vector>

#include "engine/base/archive.h"
#include "engine/learning/calibrator.h"
#include "engine/learning/online_run.h"
#include "engine/modes/unlearner.h"

namespace lethe {

// The base class of the modes that learn by online gradient descent and forget by noise: the run,
// the calibration, and the draw. A subclass adds its computation before the draw. Threads,
// ownership and failure are those of Unlearner.
class OnlineUnlearner : public Unlearner {
 public:
  Prediction Learn(const Example& example) override { return run_.Learn(example); }
  void Prefetch(const Example& example) const override { run_.Prefetch(example); }
  void Release(std::span<const Target> batch) override;
  Result<Forgetting> Forget(std::span<const Target> batch) override;
  double SigmaNow(std::span<const Target> batch) const override;
  Vector model() const override { return run_.model(); }
  double SquaredNorm() const override { return run_.squared_norm(); }
  double HalfLife() const override { return run_.HalfLife(); }
  std::int64_t LearnGradients() const override { return run_.ledger().steps(); }
  std::int64_t HeldBytes() const override { return 8 * run_.state_size(); }
  void Save(State& state) override;
  Status Load(const State& state) override;

 protected:
  using Batch = std::vector<Calibrator::Held>;

  explicit OnlineUnlearner(const ModeContext& context);

  Loss loss() const { return loss_; }
  OnlineRun& run() { return run_; }
  const OnlineRun& run() const { return run_; }
  Calibrator& calibrator() { return calibrator_; }
  const Calibrator& calibrator() const { return calibrator_; }

  // The records that Release made of these events. Every event must have been released.
  Batch HeldOf(std::span<const Target> batch) const;
  // Shrinks the model and draws noise for the batch (or books both, if noise is disabled), then
  // calls LetGo.
  void Draw(const Batch& batch, const Forgetting& forgetting);
  void Draw(const Batch& batch, double sigma) { Draw(batch, {.sigma = sigma}); }
  // Calibrates, and draws for the batch if that succeeds.
  Result<Forgetting> CalibrateAndDraw(const Batch& batch);
  // Removes the records of a batch that is forgotten.
  void LetGo(const Batch& batch);

  // Saves and loads the further fields of a subclass, after those of this class.
  virtual void SaveMore(SavingArchive&) {}
  virtual void LoadMore(LoadingArchive&) {}

  ShardId shard() const { return shard_; }
  RandomSource& random() { return random_; }
  bool draws_noise() const { return draws_noise_; }

 private:
  Loss loss_;
  OnlineRun run_;
  Calibrator calibrator_;
  std::unordered_map<std::int64_t, Calibrator::Held> held_;  // released, not yet forgotten
  ShardId shard_;
  RandomSource& random_;
  bool draws_noise_;
};

// A run of this model before its first event.
OnlineRun NewOnlineRun(const Spec& spec, const Constants& constants, const Schedule& schedule,
                       Ledger::Account account = Ledger::Account::kInfluence);

}  // namespace lethe
