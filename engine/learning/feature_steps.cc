#include "engine/learning/feature_steps.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <utility>

#include "engine/base/check.h"
#include "engine/base/simd_dispatch.h"
#include "engine/learning/invariant_step.h"

namespace lethe {
namespace {

constexpr double kFtrlBeta = 1;
constexpr double kSoftmaxCurvature = 0.5;

// Four numbers, in one register of 32 bytes or in two of 16. They are passed by reference, because
// how they are passed by value depends on the processor.
typedef double Four __attribute__((vector_size(4 * sizeof(double))));
typedef float FourFloats __attribute__((vector_size(4 * sizeof(float))));

// y = eta / sqrt(x) with the seven digits of a float, which are enough for the size of a step. In
// doubles it would take as long as all the rest of a step.
[[gnu::always_inline]] inline void Rate(float eta, const double& x, double& y) {
  y = static_cast<double>(eta / std::sqrt(static_cast<float>(x)));
}
[[gnu::always_inline]] inline void Rate(float eta, const Four& x, Four& y) {
  FourFloats narrow = __builtin_convertvector(x, FourFloats);
  for (int i = 0; i < 4; ++i) narrow[i] = std::sqrt(narrow[i]);
  y = __builtin_convertvector(eta / narrow, Four);
}

// One step of adagrad: s += g^2, and z -= h (g + lambda z) with h = eta / sqrt(s + s0). A weight
// without a gradient stays. s0 keeps h at most 1 / lambda: a longer step would pass the minimum of
// the regulariser.
struct Adagrad {
  float eta;
  double lambda;
  double s0;

  Adagrad(double rate, double regulariser)
      : eta(static_cast<float>(rate)),
        lambda(regulariser),
        s0(std::max<double>(FLT_MIN, rate * regulariser * (rate * regulariser))) {}

  template <typename T>
  [[gnu::always_inline]] void Step(const T& g, T& weight, T& sum) const {
    sum += g * g;
    T rate;
    Rate(eta, sum + s0, rate);
    weight = g != 0 ? weight - rate * (g + lambda * weight) : weight;
  }
};

// Steps of `count` weights that stand side by side, with the gradients scale * x[i].
struct DenseAdagrad {
  [[gnu::always_inline]] static void Run(const Adagrad& rule, double scale, const double* x,
                                         std::size_t count, double* weights, double* sums) {
    const Adagrad here = rule;
    std::size_t i = 0;
    for (; i + 4 <= count; i += 4) Step<Four>(here, scale, x + i, weights + i, sums + i);
    for (; i < count; ++i) Step<double>(here, scale, x + i, weights + i, sums + i);
  }

  template <typename T>
  [[gnu::always_inline]] static void Step(const Adagrad& rule, double scale, const double* x,
                                          double* weights, double* sums) {
    T gradient;
    T weight;
    T sum;
    std::memcpy(&gradient, x, sizeof gradient);
    std::memcpy(&weight, weights, sizeof weight);
    std::memcpy(&sum, sums, sizeof sum);
    gradient *= scale;
    rule.Step(gradient, weight, sum);
    std::memcpy(weights, &weight, sizeof weight);
    std::memcpy(sums, &sum, sizeof sum);
  }
};

}  // namespace

FeatureSteps::FeatureSteps(const Loss& loss, const Rule& rule, Eigen::Index features,
                           bool is_sparse)
    : loss_(loss),
      rule_(rule),
      outputs_(loss.outputs()),
      is_sparse_(is_sparse),
      weights_(Vector::Zero(features * outputs_)),
      sums_(Vector::Zero(features * outputs_)),
      scores_(static_cast<std::size_t>(outputs_)),
      gradient_(static_cast<std::size_t>(outputs_)),
      gains_(static_cast<std::size_t>(outputs_)) {
  LETHE_CHECK(rule.kind != UpdateKind::kSgd && loss.outputs() == loss.scores());
  if (rule.kind == UpdateKind::kFtrl) memory_.setZero(features * outputs_);
  if (rule.kind == UpdateKind::kNormalised) memory_.setZero(features);
}

void FeatureSteps::Scores(const Example& example, double* scores) const {
  if (outputs_ == 1 && !is_sparse_) {
    scores[0] = weights_.dot(example.x);
    return;
  }
  std::fill(scores, scores + outputs_, 0);
  for (Eigen::Index i = 0; i < count(example); ++i) {
    const double x = example.x[i];
    const double* const weights = weights_.data() + Place(example, i);
    for (Eigen::Index k = 0; k < outputs_; ++k) scores[k] += x * weights[k];
  }
}

Prediction FeatureSteps::Predict(const Example& example) const {
  Scores(example, scores_.data());
  if (outputs_ == 1) return {scores_[0], {}};
  return {0, scores_};
}

void FeatureSteps::Prefetch(const Example& example) const {
  if (!is_sparse_) return;
  for (Eigen::Index i = 0; i < count(example); ++i) {
    __builtin_prefetch(weights_.data() + Place(example, i), 1);
    __builtin_prefetch(sums_.data() + Place(example, i), 1);
  }
}

void FeatureSteps::Set(Vector weights) {
  LETHE_CHECK(weights.size() == weights_.size());
  weights_ = std::move(weights);
  squares_ = {weights_.squaredNorm(), 0};
  if (rule_.kind != UpdateKind::kFtrl) return;
  memory_ = -(weights_.array() * ((kFtrlBeta + sums_.array().sqrt()) / rule_.eta + rule_.lambda));
}

bool FeatureSteps::fits() const {
  const Eigen::Index memory = rule_.kind == UpdateKind::kAdagrad ? 0
                              : rule_.kind == UpdateKind::kFtrl  ? weights_.size()
                                                                 : weights_.size() / outputs_;
  return sums_.size() == weights_.size() && memory_.size() == memory;
}

bool FeatureSteps::Gradient(const Example& example) {
  if (example.w == 0) return false;
  if (outputs_ == 1) {
    gradient_[0] = example.w * loss_.Slope(scores_[0], example.y);
    return gradient_[0] != 0;
  }
  loss_.GradientOfScores(scores_.data(), example.y, gradient_.data());
  for (double& g : gradient_) g *= example.w;
  return std::any_of(gradient_.begin(), gradient_.end(), [](double g) { return g != 0; });
}

Prediction FeatureSteps::Learn(const Example& example) {
  const Prediction prediction = Predict(example);
  if (!Gradient(example)) return prediction;
  switch (rule_.kind) {
    case UpdateKind::kAdagrad: StepAdagrad(example); break;
    case UpdateKind::kFtrl: StepFtrl(example); break;
    case UpdateKind::kNormalised: StepNormalised(example); break;
    case UpdateKind::kSgd: LETHE_CHECK(false);
  }
  return prediction;
}

void FeatureSteps::Book(double before, double after) {
  if (!is_sparse_) return;
  squares_ = squares_ + (after * after - before * before);
}

void FeatureSteps::StepAdagrad(const Example& example) {
  const Adagrad rule(rule_.eta, rule_.lambda);
  const auto dense = [&](double scale, const double* x, Eigen::Index count, Eigen::Index place) {
    Dispatch<DenseAdagrad, const Adagrad&>(rule, scale, x, static_cast<std::size_t>(count),
                                           weights_.data() + place, sums_.data() + place);
  };
  if (outputs_ == 1 && !is_sparse_) {
    return dense(gradient_[0], example.x.data(), weights_.size(), 0);
  }
  for (Eigen::Index i = 0; i < count(example); ++i) {
    const double x = example.x[i];
    if (x == 0) continue;
    const Eigen::Index place = Place(example, i);
    if (!is_sparse_) {
      dense(x, gradient_.data(), outputs_, place);
      continue;
    }
    for (Eigen::Index k = 0; k < outputs_; ++k) {
      double& weight = weights_[place + k];
      const double before = weight;
      rule.Step(gradient_[static_cast<std::size_t>(k)] * x, weight, sums_[place + k]);
      Book(before, weight);
    }
  }
}

// FTRL-Proximal (McMahan et al. 2013) without l1; lambda is the l2 of the whole objective.
void FeatureSteps::StepFtrl(const Example& example) {
  for (Eigen::Index i = 0; i < count(example); ++i) {
    const double x = example.x[i];
    if (x == 0) continue;
    const Eigen::Index place = Place(example, i);
    for (Eigen::Index k = 0; k < outputs_; ++k) {
      const double g = gradient_[static_cast<std::size_t>(k)] * x;
      double& weight = weights_[place + k];
      double& sum = sums_[place + k];
      double& z = memory_[place + k];
      const double root = std::sqrt(sum);
      sum += g * g;
      const double new_root = std::sqrt(sum);
      z += g - (new_root - root) / rule_.eta * weight;
      const double before = weight;
      weight = -z / ((kFtrlBeta + new_root) / rule_.eta + rule_.lambda);
      Book(before, weight);
    }
  }
}

// Normalised online learning (Ross, Mineiro, Langford 2013) with adaptive steps. The largest |x| of
// a feature is its unit, and a weight is carried over to a larger unit. Two rounds: the first finds
// the rate of each weight, and how far a push moves the scores; the second pushes.
void FeatureSteps::StepNormalised(const Example& example) {
  const auto outputs = static_cast<std::size_t>(outputs_);
  rates_.assign(static_cast<std::size_t>(count(example)) * outputs, 0);
  std::fill(gains_.begin(), gains_.end(), 0);
  double norm = 0;
  for (Eigen::Index i = 0; i < count(example); ++i) {
    const double x = example.x[i];
    if (x == 0) continue;
    const Eigen::Index place = Place(example, i);
    double& unit = memory_[place / outputs_];
    if (std::abs(x) > unit) {
      for (Eigen::Index k = 0; k < outputs_; ++k) {
        double& weight = weights_[place + k];
        const double before = weight;
        weight *= unit / std::abs(x);
        Book(before, weight);
      }
      unit = std::abs(x);
    }
    norm += (x / unit) * (x / unit);
    for (std::size_t k = 0; k < outputs; ++k) {
      double& sum = sums_[place + static_cast<Eigen::Index>(k)];
      // The gradient has the weight w of the event once, and so has the sum.
      sum += gradient_[k] * x * gradient_[k] * x / example.w;
      if (sum == 0) continue;
      const double rate = 1 / (unit * std::sqrt(sum));
      rates_[static_cast<std::size_t>(i) * outputs + k] = rate;
      gains_[k] += x * x * rate;
    }
  }
  if (norm == 0) return;
  weight_total_ += example.w;
  norm_total_ += example.w * norm;
  const double factor = std::sqrt(weight_total_ / norm_total_);
  for (std::size_t k = 0; k < outputs; ++k) {
    if (gains_[k] == 0) continue;
    const double reach = rule_.eta * example.w * factor * gains_[k];
    const double move = outputs == 1
                            ? InvariantMove(loss_, scores_[0], example.y, reach)
                            : ParabolaMove(gradient_[k] / example.w, kSoftmaxCurvature, reach);
    gains_[k] = move / gains_[k];
  }
  const double pull = rule_.eta * example.w * factor * rule_.lambda;
  for (Eigen::Index i = 0; i < count(example); ++i) {
    const Eigen::Index place = Place(example, i);
    for (std::size_t k = 0; k < outputs; ++k) {
      const double rate = rates_[static_cast<std::size_t>(i) * outputs + k];
      if (rate == 0) continue;
      double& weight = weights_[place + static_cast<Eigen::Index>(k)];
      const double before = weight;
      weight = (weight + gains_[k] * example.x[i] * rate) / (1 + pull * rate);
      Book(before, weight);
    }
  }
}

}  // namespace lethe
