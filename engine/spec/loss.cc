#include "engine/spec/loss.h"

#include <cmath>

#include "engine/base/check.h"
#include "engine/base/elementary.h"
#include "engine/base/simd_dispatch.h"

namespace lethe {
namespace {

// 1 / (1 + exp(m)) for m = -minus_m, without overflow and without a branch on the sign, which would
// be unpredictable.
double Sigmoid(double minus_m) {
  const double e = elementary::Exp(-std::abs(minus_m));
  return (minus_m >= 0 ? 1 : e) / (1 + e);
}

// The logistic loss for Loss::kMany labels and predictions. The branch is on the sign alone, so e
// never overflows. The roundings are those of the exponential, of the logarithm, and of the sum.
struct LogisticValues {
  [[gnu::always_inline]] static void Run(const double* y, double* p) {
    for (int i = 0; i < Loss::kMany; ++i) {
      const double m = y[i] * p[i];
      const double e = elementary::ExpOfNegative(-std::abs(m));
      p[i] = elementary::Log1pOfUnit(e) + (m < 0 ? -m : 0);
    }
  }
};

// Its slopes. One sum, one quotient and a product with y = +-1 follow the exponential.
struct LogisticSlopes {
  [[gnu::always_inline]] static void Run(const double* y, double* p) {
    for (int i = 0; i < Loss::kMany; ++i) {
      const double m = y[i] * p[i];
      const double e = elementary::ExpOfNegative(-std::abs(m));
      p[i] = -y[i] * ((m > 0 ? e : 1) / (1 + e));
    }
  }
};

}  // namespace

double Loss::Value(double p, double y) const {
  switch (kind_) {
    case LossKind::kLogistic: {
      const double m = y * p;
      return elementary::Log1p(elementary::Exp(-std::abs(m))) + std::fmax(-m, 0.0);
    }
    case LossKind::kSquared: return (p - y) * (p - y) / 2;
    case LossKind::kHuber: {
      const double a = std::abs(p - y);
      return a <= width_ ? a * a / 2 : width_ * (a - width_ / 2);
    }
    case LossKind::kSoftmax: break;
  }
  LETHE_CHECK(false);
}

double Loss::Slope(double p, double y) const {
  switch (kind_) {
    case LossKind::kLogistic: return -y * Sigmoid(-y * p);
    case LossKind::kSquared: return p - y;
    case LossKind::kHuber: return std::fmin(std::fmax(p - y, -width_), width_);
    case LossKind::kSoftmax: break;
  }
  LETHE_CHECK(false);
}

void Loss::Values(const Many& y, Many& p) const {
  switch (kind_) {
    case LossKind::kLogistic: Dispatch<LogisticValues>(y.data(), p.data()); return;
    case LossKind::kSquared: p = (p - y).square() / 2; return;
    case LossKind::kHuber: {
      const Many a = (p - y).abs();
      p = (a <= width_).select(a.square() / 2, width_ * (a - width_ / 2));
      return;
    }
    case LossKind::kSoftmax: break;
  }
  LETHE_CHECK(false);
}

void Loss::Slopes(const Many& y, Many& p) const {
  switch (kind_) {
    case LossKind::kLogistic: Dispatch<LogisticSlopes>(y.data(), p.data()); return;
    case LossKind::kSquared: p -= y; return;
    case LossKind::kHuber: p = (p - y).max(-width_).min(width_); return;
    case LossKind::kSoftmax: break;
  }
  LETHE_CHECK(false);
}

double Loss::Curvature(double p, double y) const {
  switch (kind_) {
    case LossKind::kLogistic: {
      const double s = Sigmoid(-y * p);
      return s * (1 - s);
    }
    case LossKind::kSquared: return 1;
    case LossKind::kHuber: return std::abs(p - y) <= width_ ? 1 : 0;
    case LossKind::kSoftmax: break;
  }
  LETHE_CHECK(false);
}

void Loss::Curvatures(const Many& y, Many& p) const {
  switch (kind_) {
    case LossKind::kLogistic:
      Slopes(y, p);
      p = p.abs() * (1 - p.abs());
      return;
    case LossKind::kSquared: p.setOnes(); return;
    case LossKind::kHuber: p = ((p - y).abs() <= width_).cast<double>(); return;
    case LossKind::kSoftmax: break;
  }
  LETHE_CHECK(false);
}

double Loss::MaxSlope(double prediction_bound, double label_bound) const {
  switch (kind_) {
    case LossKind::kLogistic: return 1;
    case LossKind::kSquared: return prediction_bound + label_bound;
    case LossKind::kHuber: return width_;
    case LossKind::kSoftmax: break;
  }
  LETHE_CHECK(false);
}

double Loss::MaxCurvature() const { return kind_ == LossKind::kLogistic ? 0.25 : 1; }

}  // namespace lethe
