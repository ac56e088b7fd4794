#include "engine/spec/loss.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

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

// a_j = 1/sqrt(j (j+1)) of Helmert's matrix.
const std::array<double, Loss::kMostClasses>& HelmertEntries() {
  static const auto entries = [] {
    std::array<double, Loss::kMostClasses> a{};
    for (std::size_t j = 1; j < a.size(); ++j) {
      const auto number = static_cast<double>(j);
      a[j] = 1 / std::sqrt(number * (number + 1));
    }
    return a;
  }();
  return entries;
}

}  // namespace

void Softmax(const double* scores, int count, double* p) {
  const double most = *std::max_element(scores, scores + count);
  double sum = 0;
  for (int i = 0; i < count; ++i) {
    p[i] = elementary::ExpOfNegative(scores[i] - most);
    sum += p[i];
  }
  for (int i = 0; i < count; ++i) p[i] /= sum;
}

Loss::Loss(LossKind kind, double huber_width) : kind_(kind), width_(huber_width) {
  LETHE_CHECK(kind != LossKind::kSoftmax);
}

Loss::Loss(const ModelSpec& model, UpdateKind update)
    : kind_(model.loss), width_(model.huber_width) {
  if (kind_ != LossKind::kSoftmax) return;
  LETHE_CHECK(model.classes >= 2 && model.classes <= kMostClasses);
  scores_ = static_cast<int>(model.classes);
  outputs_ = update == UpdateKind::kSgd ? scores_ - 1 : scores_;
}

// Row i of Q has a_j in the columns j > i, and -i a_i in column i.
void Loss::Scores(const double* u, double* scores) const {
  if (outputs_ == scores_) {
    std::copy_n(u, outputs_, scores);
    return;
  }
  const auto& a = HelmertEntries();
  double above = 0;  // the sum of a_j u_j over the columns j > i
  for (int i = outputs_; i > 0; --i) {
    const double entry = a[static_cast<std::size_t>(i)] * u[i - 1];
    scores[i] = above - i * entry;
    above += entry;
  }
  scores[0] = above;
}

void Loss::Reduce(const double* r, double* g) const {
  if (outputs_ == scores_) {
    std::copy_n(r, outputs_, g);
    return;
  }
  const auto& a = HelmertEntries();
  double below = 0;  // the sum of r_i over the rows i < j
  for (int j = 1; j <= outputs_; ++j) {
    below += r[j - 1];
    g[j - 1] = a[static_cast<std::size_t>(j)] * (below - j * r[j]);
  }
}

void Loss::GradientOfScores(const double* scores, double y, double* g) const {
  if (scores_ == 1) {
    g[0] = Slope(scores[0], y);
    return;
  }
  std::array<double, kMostClasses> r;  // NOLINT: the entries in use are written first
  Softmax(scores, scores_, r.data());
  r[static_cast<std::size_t>(y)] -= 1;
  Reduce(r.data(), g);
}

void Loss::Gradient(const double* u, double y, double* g) const {
  std::array<double, kMostClasses> scores;  // NOLINT: the entries in use are written first
  Scores(u, scores.data());
  GradientOfScores(scores.data(), y, g);
}

double Loss::ValueOfScores(const double* scores, double y) const {
  if (scores_ == 1) return Value(scores[0], y);
  const double most = *std::max_element(scores, scores + scores_);
  double sum = 0;
  for (int i = 0; i < scores_; ++i) sum += elementary::ExpOfNegative(scores[i] - most);
  // The sum is at least 1, and the score of y at most the largest.
  return elementary::Log(sum) + (most - scores[static_cast<std::size_t>(y)]);
}

double Loss::ValueOf(const double* u, double y) const {
  std::array<double, kMostClasses> scores;  // NOLINT: the entries in use are written first
  Scores(u, scores.data());
  return ValueOfScores(scores.data(), y);
}

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
    // |p - e_y|^2 = (1 - p_y)^2 + the squares of the others, which sum to 1 - p_y: at most 2.
    case LossKind::kSoftmax: return std::numbers::sqrt2 * (1 + 0x1p-52);
  }
  LETHE_CHECK(false);
}

double Loss::MaxCurvature() const {
  switch (kind_) {
    case LossKind::kLogistic: return 0.25;
    case LossKind::kSquared:
    case LossKind::kHuber: return 1;
    // v'(diag p - p p')v is the variance of a variable with the values v_i. Their range is at most
    // sqrt 2 for |v| = 1, so the variance is at most 1/2 (Popoviciu).
    case LossKind::kSoftmax: return 0.5;
  }
  LETHE_CHECK(false);
}

}  // namespace lethe
