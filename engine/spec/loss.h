#pragma once

#include <cstdint>

#include <Eigen/Core>

#include "engine/spec/spec.h"

namespace lethe {

// A loss function of the linear outputs of a model and the label y, without the regulariser and
// without the importance weight. A value type; immutable, so threads may share one.
//
// Logistic, squared and Huber have one output, the prediction p = <z, x>.
//
// Softmax over K classes has the label y = 0..K-1 and one score for each class; the loss is
// log(sum of exp(score)) - score of y. In the reduced form, which stochastic gradient descent uses,
// there are K - 1 outputs u, and the scores are Q u. The columns of Q are orthonormal and sum to
// zero (Helmert's matrix: column j = 1..K-1 has a_j = 1/sqrt(j (j+1)) in the rows below j, and
// -j a_j in row j). Every gradient with respect to scores sums to zero, so a model of K outputs
// would never leave the range of Q, and noise in the direction (1, ..., 1) would be wasted. In the
// full form, for updates with a step for each weight, the K outputs are the scores.
class Loss {
 public:
  static constexpr std::int64_t kMostClasses = 4096;

  // A loss with one output. `huber_width` is used by the Huber loss only.
  explicit Loss(LossKind kind, double huber_width = 1.0);
  // The loss of a model: for softmax in the reduced form with `update: sgd`, else in the full form.
  explicit Loss(const ModelSpec& model, UpdateKind update = UpdateKind::kSgd);

  LossKind kind() const { return kind_; }
  bool is_classification() const { return kind_ == LossKind::kLogistic; }
  bool is_softmax() const { return kind_ == LossKind::kSoftmax; }
  // The number m of linear outputs.
  int outputs() const { return outputs_; }
  // The number of scores: K for softmax, else 1.
  int scores() const { return scores_; }

  // For any number of outputs. `u` are the outputs; with one output the results are those of Value
  // and Slope, bit for bit. The pointers are to outputs() values, `scores` to scores() values.
  double ValueOf(const double* u, double y) const;
  void Gradient(const double* u, double y, double* g) const;
  void Scores(const double* u, double* scores) const;
  // The gradient with respect to u from the scores, for callers that need both.
  void GradientOfScores(const double* scores, double y, double* g) const;
  // The loss from the scores.
  double ValueOfScores(const double* scores, double y) const;
  // Q' r: the derivatives with respect to u from those with respect to the scores.
  void Reduce(const double* r, double* g) const;

  // With one output.
  double Value(double p, double y) const;
  double Slope(double p, double y) const;      // first derivative in p
  double Curvature(double p, double y) const;  // second derivative in p

  // Vectorised versions for kMany events at once. They replace the predictions in p by the results,
  // which are not bit for bit those of the functions above.
  static constexpr int kMany = 64;
  using Many = Eigen::Array<double, kMany, 1>;
  // Each value v has an error of at most 16 * 2^-53 (1 + |v|).
  void Values(const Many& y, Many& p) const;
  // Each slope has an error of at most 16 * 2^-53 times the largest slope of the loss.
  void Slopes(const Many& y, Many& p) const;
  void Curvatures(const Many& y, Many& p) const;

  // Suprema of the norm of the gradient and of the Hessian with respect to the outputs, over |p| <=
  // prediction_bound and |y| <= label_bound (docs/guarantee.md, section 1).
  double MaxSlope(double prediction_bound, double label_bound) const;
  double MaxCurvature() const;

 private:
  LossKind kind_;
  double width_;
  int outputs_ = 1;
  int scores_ = 1;
};

// The softmax of `count` scores. Stable: the largest score is subtracted first. `p` may be
// `scores`.
void Softmax(const double* scores, int count, double* p);

}  // namespace lethe
