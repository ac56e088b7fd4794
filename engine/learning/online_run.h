#pragma once

#include <optional>

#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/learning/feature_steps.h"
#include "engine/learning/mean_cost.h"
#include "engine/learning/sparse_model.h"
#include "engine/ports/example.h"
#include "engine/ports/prediction.h"
#include "engine/ports/random.h"
#include "engine/privacy/ledger.h"
#include "engine/spec/constants.h"
#include "engine/spec/loss.h"
#include "engine/spec/schedule.h"

namespace lethe {

// Projected online gradient descent with its ledger: the model z, the learn step, and a bound on
// the influence that each event still has. Every online mode holds one. Features are dense, or
// hashed and sparse; a sparse step costs O(features of the event). With steps per feature the model
// is that of a FeatureSteps, and the ledger's bounds do not hold. A value type; not thread-safe.
// After an error from Reset or Load the run must not be used again. A call for the wrong kind of
// features is a programming error and ends the process.
class OnlineRun {
 public:
  enum class Features { kDense, kSparse };

  // `input_dimension`: the number of features, with the bias; the model has loss.outputs() weights
  // for each. For sparse features the constants must have passed SparseModel::Check.
  OnlineRun(const Loss& loss, const Constants& constants, const Schedule& schedule,
            Eigen::Index input_dimension, Features features = Features::kDense,
            Ledger::Account account = Ledger::Account::kInfluence);

  // <z, x>. For a loss with one output.
  double Predict(const Example& example) const {
    if (feature_steps_) return feature_steps_->Predict(example).score;
    return sparse_ ? sparse_->Dot(example) : z_.dot(example.x);
  }
  // The scores of the example, loss.scores() of them, for any loss.
  void Scores(const Example& example, double* scores) const;

  // A hint that the event will be learned soon.
  void Prefetch(const Example& example) const {
    if (sparse_) sparse_->Prefetch(example);
    if (feature_steps_) feature_steps_->Prefetch(example);
  }

  // z <- Proj(z - eta (w loss'(<z,x>; y) x + mu z)) with the importance weight w of the example,
  // or a step per feature.
  // Returns the prediction before the step; its scores are valid until the next call or until the
  // run is destroyed.
  //
  // w = 0 learns nothing of the event: it takes the step on the regulariser alone. The ledger books
  // every position with the same contraction, because w is private; so the step must contract. A
  // run whose ledger books nothing (Ledger::Account::kStepsOnly) takes no step instead, as for a
  // deleted event.
  Prediction Learn(const Example& example) {
    if (feature_steps_) return LearnPerFeature(example);
    if (loss_.is_softmax()) return LearnMany(example);
    return sparse_ ? LearnSparse(example) : LearnDense(example);
  }

  // Takes the step of a deleted event in a retrained run: the index advances and the model stays.
  void Skip();

  // `count` gradient steps of size 2/(beta+mu) on the mean cost. Dense features only.
  void Descend(const MeanCost& cost, std::int64_t count);

  // Moves z to the minimiser of the mean cost (engine/learning/reset.h). Every event then
  // contributes at most 2 tolerance/mu, plus L/(mu n) while it is retained. Dense features only.
  // Fails (kInternal) if the tolerance is not reached; nothing may be released then.
  Status Reset(const MeanCost& cost, double tolerance);

  // Sets the model to z, projected. The caller guarantees that z is so near to a point that is the
  // same in every world that every event contributes at most `influence`. Dense features only.
  void MoveTo(Vector z, double influence);

  // Multiplies the model by a factor 0 < factor < 1 that is no function of the data, and books it;
  // with `moves` false it is only booked, for noise.source: disabled.
  void Shrink(double factor, bool moves = true);

  // Adds noise of standard deviation sigma on the grid, projects (post-processing) and books the
  // round-off.
  void Draw(double sigma, RandomSource& random, const Stream& stream);

  // Books the round-off of a draw without making it, for noise.source: disabled.
  void BookDraw(double sigma);

  // The distance between two worlds that only the next draw, of this sigma, can absorb: the
  // round-off F, the rounding to the grid, and what events that the ledger has dropped can still
  // contribute. With `shrink` below 1, what it will be after Shrink(shrink).
  double ExtraShift(double sigma, double shrink = 1) const;

  // A copy of the weights. Reading never changes the run.
  Vector model() const {
    if (feature_steps_) return feature_steps_->weights();
    return sparse_ ? sparse_->Dense() : z_;
  }
  // |model|^2
  double squared_norm() const {
    if (feature_steps_) return feature_steps_->squared_norm();
    return sparse_ ? sparse_->squared_norm() : squared_norm_;
  }
  Eigen::Index model_dimension() const { return dimension_; }
  // The numbers of the model and of what its steps remember for each weight.
  Eigen::Index state_size() const {
    return dimension_ * (feature_steps_ ? FeatureSteps::StatePerWeight(schedule_.update()) : 1);
  }
  const Ledger& ledger() const { return ledger_; }
  // What the ledger takes the blank of the reference world for.
  void SetBlank(Ledger::Blank blank) { ledger_.SetBlank(blank); }
  // Drops what the ledger knows of events before `first`, which must be one of its marks.
  void DropBefore(std::int64_t first) { ledger_.DropBefore(first); }
  const Constants& constants() const { return constants_; }

  // The number of steps in which the influence of an event halves, at the present step size.
  // Infinite for steps per feature, which promise no fading.
  double HalfLife() const;

  // Load requires a run that was constructed with the arguments of the saved one. It fails (kInput)
  // if the stored run cannot be read.
  void Save(State& state);
  Status Load(const State& state);

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.z_, self.squared_norm_, self.squared_gradients_, self.ledger_);
    if (self.sparse_) archive(*self.sparse_);
    if (self.feature_steps_) archive(*self.feature_steps_);
  }

 private:
  Prediction LearnDense(const Example& example);
  Prediction LearnSparse(const Example& example);
  Prediction LearnMany(const Example& example);
  // u = z' x
  void Outputs(const Example& example, double* u) const;
  bool IsSkipped(const Example& example) const {
    return example.w == 0 && ledger_.account() == Ledger::Account::kStepsOnly;
  }
  // Projects z_, whose squared norm may be passed, and updates squared_norm_.
  void ProjectDense() { ProjectDense(DenseSquaredNorm()); }
  void ProjectDense(double squared_norm);
  double DenseSquaredNorm() const;
  Prediction LearnPerFeature(const Example& example);
  // Adaptive schedule only: adds a squared gradient norm and returns the step size.
  double NextStep(double squared_gradient);

  Loss loss_;
  Constants constants_;
  Schedule schedule_;
  Eigen::Index inputs_;
  Eigen::Index dimension_;  // of the model
  double inner_radius_;     // the radius of the projection with several outputs
  Ledger ledger_;
  Vector z_;                                   // dense features
  std::optional<SparseModel> sparse_;          // sparse features
  std::optional<FeatureSteps> feature_steps_;  // in place of both, unless learning.update is sgd
  double squared_norm_ = 0;                    // |z_|^2
  double squared_gradients_ = 0;               // adaptive schedule only: their sum
  Vector work_;  // several outputs: outputs, gradient and scores of a step
};

}  // namespace lethe
