#pragma once

#include <Eigen/Core>

#include "engine/spec/spec.h"

namespace lethe {

// A loss of the prediction p = <z, x> and the label y, without the regulariser. A value type.
class Loss {
 public:
  // `huber_width` is used by the Huber loss only.
  explicit Loss(LossKind kind, double huber_width = 1.0) : kind_(kind), width_(huber_width) {}

  LossKind kind() const { return kind_; }
  bool is_classification() const { return kind_ == LossKind::kLogistic; }

  double Value(double p, double y) const;
  double Slope(double p, double y) const;      // first derivative in p
  double Curvature(double p, double y) const;  // second derivative in p

  // Of many at once, in place of the predictions. Each value is within 16 * 2^-53 of the real one,
  // in units of 1 + its size.
  static constexpr int kMany = 64;
  using Many = Eigen::Array<double, kMany, 1>;
  void Values(const Many& y, Many& p) const;
  // Slope of many at once, in place of the predictions. Each is within 16 * 2^-53 of the real
  // slope at its p, in units of the largest one; not bit for bit what Slope says.
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
