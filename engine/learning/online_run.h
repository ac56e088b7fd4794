#pragma once

#include <optional>

#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/learning/mean_cost.h"
#include "engine/learning/sparse_model.h"
#include "engine/ports/example.h"
#include "engine/ports/random.h"
#include "engine/privacy/ledger.h"
#include "engine/spec/constants.h"
#include "engine/spec/loss.h"
#include "engine/spec/schedule.h"

namespace lethe {

// Projected online gradient descent with its ledger: the model z, how it learns, and how far any
// event still reaches into it. Every online mode holds one. The features are dense, or hashed and
// sparse: then a step costs what the event has features. A value type; not thread-safe.
class OnlineRun {
 public:
  enum class Features { kDense, kSparse };

  // For sparse features the constants must have passed SparseModel::Check.
  OnlineRun(const Loss& loss, const Constants& constants, const Schedule& schedule,
            Eigen::Index model_dimension, Features features = Features::kDense);

  double Predict(const Example& example) const {
    return sparse_ ? sparse_->Dot(example) : z_.dot(example.x);
  }

  // A hint that the event is among the next to be learned.
  void Prefetch(const Example& example) const {
    if (sparse_) sparse_->Prefetch(example);
  }

  // z <- Proj(z - eta (loss'(<z,x>; y) x + mu z)). Returns the prediction before the step.
  double Learn(const Example& example) {
    return sparse_ ? LearnSparse(example) : LearnDense(example);
  }

  // The position of an event that is blank in this world: the index advances, nothing is learned.
  void Skip();

  // `count` gradient steps of size 2/(beta+mu) on the mean cost. Dense features only.
  void Descend(const MeanCost& cost, std::int64_t count);

  // Solves for the minimiser of the mean cost (engine/learning/reset.h). Every event then
  // contributes at most 2 tolerance/mu, plus L/(mu n) while it is retained. Dense features only.
  Status Reset(const MeanCost& cost, double tolerance);

  // The model was computed otherwise: z, projected, is within a distance of a point that is the
  // same in every world, so that any event contributes at most `influence`. Dense features only.
  void MoveTo(Vector z, double influence);

  // Adds noise of standard deviation sigma on the grid and projects (post-processing).
  void Draw(double sigma, RandomSource& random, const Stream& stream);

  // Books the round-off of a draw that is not made: the arithmetic goes on as if it had been.
  void BookDraw(double sigma);

  // Distance between two worlds that only the next draw can absorb: F and the grid's rounding.
  double ExtraShift(double sigma) const;

  // A copy: reading never changes the run.
  Vector model() const { return sparse_ ? sparse_->Dense() : z_; }
  // |model|^2
  double squared_norm() const { return sparse_ ? sparse_->squared_norm() : squared_norm_; }
  Eigen::Index model_dimension() const { return dimension_; }
  const Ledger& ledger() const { return ledger_; }
  const Constants& constants() const { return constants_; }

  // Steps until half of an event's influence is gone, at the present step size.
  double HalfLife() const;

  // Load must follow a constructor with the same arguments as the saved run had.
  void Save(State& state);
  Status Load(const State& state);

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.z_, self.squared_norm_, self.squared_gradients_, self.ledger_);
    if (self.sparse_) archive(*self.sparse_);
  }

 private:
  double LearnDense(const Example& example);
  double LearnSparse(const Example& example);
  // adaptive only: the step after one more gradient.
  double NextStep(double squared_gradient);

  Loss loss_;
  Constants constants_;
  Schedule schedule_;
  Eigen::Index dimension_;
  Ledger ledger_;
  Vector z_;                           // dense features
  std::optional<SparseModel> sparse_;  // sparse ones
  double squared_norm_ = 0;
  double squared_gradients_ = 0;  // adaptive only
};

}  // namespace lethe
