#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/double_double.h"
#include "engine/base/types.h"
#include "engine/ports/example.h"
#include "engine/ports/prediction.h"
#include "engine/spec/loss.h"
#include "engine/spec/spec.h"

namespace lethe {

// A linear model whose weights have step sizes of their own (learning.update, docs/guarantee.md,
// "Steps per feature"): the weights, and what the rule remembers for each of them.
//
// A weight is touched by an event whose feature is not zero. An untouched weight stays as it is,
// the regulariser included, so a step costs O(features of the event). There is no ball: nothing
// projects the weights. Step sizes are a function of the data, so noise cannot be calibrated to
// them; forgetting is exact where the model is computed again.
//
// With several outputs the weights of one feature stand side by side. A softmax has one output for
// each class. An event of weight 0, or without a gradient, changes nothing.
//
// A value type: a copy continues with the same bits. Not thread-safe. No call fails. A Prediction
// borrows its scores from this object until the next call.
class FeatureSteps {
 public:
  struct Rule {
    UpdateKind kind = UpdateKind::kAdagrad;  // not kSgd
    double eta = 0.5;
    double lambda = 0;
  };

  // The model is zero. Softmax must have its full form. With `is_sparse` the events say which
  // features they have.
  FeatureSteps(const Loss& loss, const Rule& rule, Eigen::Index features, bool is_sparse);

  Prediction Predict(const Example& example) const;
  // The scores of the example, one for each output.
  void Scores(const Example& example, double* scores) const;
  // One step. Returns the prediction before it.
  Prediction Learn(const Example& example);
  // A hint that the event will be learned soon.
  void Prefetch(const Example& example) const;

  const Vector& weights() const { return weights_; }
  // Replaces the weights. What the rule remembers stays.
  void Set(Vector weights);
  // |weights|^2
  double squared_norm() const { return is_sparse_ ? squares_.high : weights_.squaredNorm(); }

  // Whether what was loaded has the sizes of this model.
  bool fits() const;

  // The doubles that the rule remembers for each weight, the weight itself included.
  static int StatePerWeight(UpdateKind kind) { return kind == UpdateKind::kAdagrad ? 2 : 3; }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.weights_, self.sums_, self.memory_, self.squares_, self.weight_total_,
            self.norm_total_);
  }

 private:
  Eigen::Index count(const Example& example) const { return example.x.size(); }
  // Where the weights of the event's feature i begin.
  Eigen::Index Place(const Example& example, Eigen::Index i) const {
    return (is_sparse_ ? static_cast<Eigen::Index>(example.at[static_cast<std::size_t>(i)]) : i) *
           outputs_;
  }
  // Writes the gradient of the event's loss by the scores, its weight included, to gradient_.
  // Returns whether one of them is not zero.
  bool Gradient(const Example& example);
  void StepAdagrad(const Example& example);
  void StepFtrl(const Example& example);
  void StepNormalised(const Example& example);
  // Carries a change of one weight over to squares_.
  void Book(double before, double after);

  Loss loss_;
  Rule rule_;
  Eigen::Index outputs_;
  bool is_sparse_;
  Vector weights_;
  Vector sums_;              // of squared gradients, for each weight
  Vector memory_;            // ftrl: z of each weight; normalised: the largest |x| of each feature
  DoubleDouble squares_;     // sparse: |weights|^2
  double weight_total_ = 0;  // normalised: of the events
  double norm_total_ = 0;    // normalised: of (x / largest |x|)^2
  mutable std::vector<double> scores_;
  // Work space of one step.
  std::vector<double> gradient_;
  std::vector<double> rates_;
  std::vector<double> gains_;
};

}  // namespace lethe
