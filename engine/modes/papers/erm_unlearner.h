#pragma once

#include "engine/learning/mean_cost.h"
#include "engine/modes/online_unlearner.h"

namespace lethe {

// The base class of the modes that learn by descending on the mean cost of all retained events
// (empirical risk minimisation): first after `warmup` learn events, then after every `refit_every`
// more, and at each deletion. In between, events wait. These times count learn events, deleted ones
// included, so they are public and the same in every world. In the ledger an event that waits has
// taken a step of size 0, and enters by the descents that use it. Threads, ownership and failure
// are those of Unlearner.
class ErmUnlearner : public OnlineUnlearner {
 public:
  Prediction Learn(const Example& example) override;
  void Release(std::span<const Target> batch) override;
  std::int64_t LearnGradients() const override { return learn_gradients_; }
  std::int64_t DeletionGradients() const override { return gradients_; }

 protected:
  explicit ErmUnlearner(const ModeContext& context);

  // Includes the waiting events in the model. Called after a Learn, at public times. Returns the
  // number of gradients computed.
  virtual std::int64_t Refit() = 0;
  // With one output.
  virtual double Predict(const Example& example) const { return run().Predict(example); }
  // With any number of outputs.
  virtual Prediction PredictionOf(const Example& example) const { return {Predict(example)}; }

  // How the retained events have changed since the last update.
  struct Change {
    double deleted = 0;
    double n_before = 0;
    double added = 0;
    double n_after = 0;
  };

  bool is_trained() const { return entered_ > 0; }
  // Records that all retained events are part of the model from now on, and returns the change
  // since the last call.
  Change TakeIn();
  // Takes `count` gradient steps on all retained events.
  void Descend(std::int64_t count);
  void CountGradients(std::int64_t gradients) { gradients_ += gradients; }

  const ErmSpec& erm() const { return erm_; }
  Calibration calibration() const { return calibration_; }
  const Payloads& payloads() const { return payloads_; }
  const MeanCost& cost() const { return cost_; }
  double size_at_training() const { return static_cast<double>(erm_.warmup); }

  void SaveMore(SavingArchive& archive) override { archive(entered_, waiting_, removed_, before_); }
  void LoadMore(LoadingArchive& archive) override {
    archive(entered_, waiting_, removed_, before_);
  }

 private:
  ErmSpec erm_;
  Calibration calibration_;
  Payloads& payloads_;
  MeanCost cost_;
  std::int64_t entered_ = 0;  // events before this index have been descended on
  std::int64_t waiting_ = 0;  // retained events that have not been descended on
  std::int64_t removed_ = 0;  // events that were descended on and released since the last update
  std::int64_t before_ = 0;   // retained events at the last update
  std::int64_t learn_gradients_ = 0;
  std::int64_t gradients_ = 0;
};

// Fails (kConfig) for settings that none of these modes supports: an adaptive schedule, a split of
// the budget.
Status CheckErm(const Spec& spec);

}  // namespace lethe
