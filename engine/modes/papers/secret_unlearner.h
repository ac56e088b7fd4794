#pragma once

#include "engine/modes/papers/erm_unlearner.h"

namespace lethe {

// The base class of the modes that keep a secret model without noise and publish a noised copy of
// it. A copy is drawn once for each update and then kept, because two copies of one secret model
// could be averaged. Threads, ownership and failure are those of Unlearner.
class SecretUnlearner : public ErmUnlearner {
 public:
  Vector model() const override { return published_; }
  double SquaredNorm() const override { return published_.squaredNorm(); }
  double SigmaNow(std::span<const Target>) const override { return sigma_; }
  std::int64_t HeldBytes() const override { return 16 * run().model_dimension(); }

 protected:
  explicit SecretUnlearner(const ModeContext& context);

  double Predict(const Example& example) const override { return published_.dot(example.x); }
  // Publishes a copy of `secret`, with noise unless sigma is 0.
  void Publish(Vector secret, double sigma);

  std::int64_t publishes() const { return publishes_; }
  double sigma() const { return sigma_; }

  void SaveMore(SavingArchive& archive) override;
  void LoadMore(LoadingArchive& archive) override;

 private:
  Vector published_;
  std::int64_t publishes_ = 0;
  double sigma_ = 0;  // of the last copy
};

}  // namespace lethe
