#pragma once

#include <Eigen/Core>

#include "engine/spec/spec.h"

namespace lethe {

// A loss function of the prediction p = <z, x> and the label y, without the regulariser. A value
// type; immutable, so threads may share one.
class Loss {
 public:
  // `huber_width` is used by the Huber loss only.
  explicit Loss(LossKind kind, double huber_width = 1.0) : kind_(kind), width_(huber_width) {}

  LossKind kind() const { return kind_; }
  bool is_classification() const { return kind_ == LossKind::kLogistic; }

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

  // Suprema over |p| <= prediction_bound and |y| <= label_bound (docs/guarantee.md, section 1).
  double MaxSlope(double prediction_bound, double label_bound) const;
  double MaxCurvature() const;

 private:
  LossKind kind_;
  double width_;
};

}  // namespace lethe
