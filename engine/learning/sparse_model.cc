#include "engine/learning/sparse_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "engine/admission/feature_hash.h"
#include "engine/base/check.h"

namespace lethe {
namespace {

constexpr double kUnit = 0x1p-53;

// Sums run in blocks: rounding then grows with the number of blocks plus the size of one, and not
// with their product. An event has at most kMostTerms features, the bias among them.
constexpr std::size_t kBlock = 64;
constexpr std::size_t kMostTerms = kMaxFeatures + 1;
constexpr std::size_t kMostBlocks = (kMostTerms + kBlock - 1) / kBlock;

constexpr double kLeastRadius = 0x1p-100;
constexpr double kLongestReach = 0x1p+100;

// s is multiplied by kFold^2 when it is below max(reach, 1)/kFold. The wider this range, the fewer
// passes over all weights: s is halved 1,400 times between two of them. With |v| <= kFold, unit at
// most 2^100 kFold^2 / (kFold kLeastRatio) = 2^1000 and s at most 2^800 all is finite.
constexpr double kFold = 0x1p+700;

// s/unit is kept above this, so that squares of unit v are finite; then unit becomes smaller.
constexpr double kLeastRatio = 0x1p-200;

// r + eta L for the longest step: the largest norm of an iterate before its projection.
double Reach(const Constants& constants) {
  return constants.radius + constants.max_step() * constants.L;
}

// |v|^2 is recomputed after this many steps: often enough for kDrift, and at an amortised cost of
// at most one weight per step, or four for each output.
std::int64_t Period(Eigen::Index features, int outputs) {
  return std::max<std::int64_t>(4096, outputs == 1 ? features : features / 4);
}

// Bounds the error of the carried sum, in units of r^2 when it is brought to z.
//
// It is the sum of all v_i^2 as rounded: a step takes the old square out and puts the new one in,
// and what went in comes out as the same double, however long after. So the squares' own rounding,
// u = 2^-53 of the sum, does not pile up; only additions could. These are exact in `high`, and what
// is left goes to `low` (Add), so that only `low` rounds: with S the largest partial sum it is at
// most u S (1 + j) after j <= 2 kBlock additions, each of which rounds once; so a feature costs at
// most 2 u * u S (2 kBlock + 1) < 2^8.1 u^2 S, and an event of kMostTerms features less than 2^20.2
// u^2 S. Partial sums mix old and new weights: S <= r^2 + |z'|^2 with z' the model before it is
// projected. If |z'| > r, projecting multiplies |z|^2 and its error by (r/|z'|)^2. Either way a
// step leaves less than 2^-84 r^2 on top of what older errors have shrunk to. Summing anew costs
// less than that per weight, and there are no more weights than steps between two sums: 2^-83 for
// each of these steps, at most 2^24 + 1 of them, covers everything. With m > 1 outputs a step has m
// times as many terms, and there is a sum after max(2^12, features/4) steps: with at most 2^12
// outputs and 2^26 weights m times the number of steps is at most 2^24.
constexpr double kDrift = 0x1p-58;

// sum <- sum + x by Knuth's two-sum: the rounding error of `high` is exact and goes to `low`.
void Add(DoubleDouble& sum, double x) {
  const double high = sum.high + x;
  const double part = high - sum.high;
  sum.low += (sum.high - (high - part)) + (x - part);
  sum.high = high;
}

void Normalise(DoubleDouble& sum) { sum = DoubleDouble{sum.high, 0} + sum.low; }

}  // namespace

Status SparseModel::Check(const Constants& constants) {
  const double longest_push = constants.max_step() * constants.G / constants.feature_norm;
  if (constants.radius >= kLeastRadius && Reach(constants) <= kLongestReach &&
      longest_push <= kLongestReach) {
    return Status::Ok();
  }
  return {ErrorCode::kConfig,
          "model: with hash_bits, radius must be at least 1e-30, and radius plus the longest step "
          "at most 1e30; choose radius, label_bound, huber_width and feature_norm nearer to 1"};
}

// What one Step does against z' = Proj(a z - k x), a = 1 - eta mu, k = eta loss'(<z,x>), with
// z = s v as real numbers, |z| <= r, |x| <= R, u = 2^-53, m = kBlock + kMostBlocks. To first order
// in u:
//
// * <z,x>: a chain of kBlock products and sums, one of kMostBlocks sums, and the factor s are wrong
//   by at most (m + 1) u r R. That times sup loss'' moves the slope, and the weights by eta R^2 sup
//   loss'' (m + 1) u r <= 2 (m + 1) u r, because eta <= 2/(beta+mu). The slope's own few operations
//   add 8 u eta G.
// * s (1 - eta mu): 3 u r. (The difference may cancel, so this is absolute.)
// * k/s, times x_i, taken from v_i: u (r + eta L) + 5 u eta G. Weights that are not touched round
//   nothing.
// * Proj is onto the ball of inner_radius_: 1-Lipschitz and the same in every world, so that itself
//   costs nothing. The factor has 5 u r of its own, and half of the norm's relative error, u +
//   kDrift: together less than 6 u r.
// * Folding multiplies v by a power of two, and so does unit: no bit of s v or of the squares
//   changes, whenever it happens, as long as nothing underflows. A weight that does changes z_i by
//   less than s 2^-1074 <= 2^-274, all 2^24 + 1 together by less than 2^-261, and a square that
//   does changes |z|^2 by less than 2^-1021 for each weight: nothing next to u r >= 2^-153 and
//   kDrift r^2 >= 2^-258.
//
// Together at most (2 m + 30) u (r + eta L), less than (3 d + 40) u (r + eta L) with d = m. Nothing
// of it depends on how many features events had, how large s is or when it was folded.
//
// Softmax adds what OnlineRun's comment on its terms lists for the scores, 3 K.
std::int64_t SparseModel::Terms(const Loss& loss) {
  return kBlock + kMostBlocks + (loss.is_softmax() ? 3 * loss.scores() : 0);
}

// The projection uses a slightly smaller ball, to allow for the errors of the maintained norm and
// of the factor.
SparseModel::SparseModel(const Constants& constants, Eigen::Index features, int outputs)
    : outputs_(outputs),
      inner_radius_(constants.radius * (1 - 16 * kUnit - kDrift)),
      least_scale_(std::max(Reach(constants), 1.0) / kFold),
      period_(Period(features, outputs)),
      v_(Vector::Zero(features * outputs)) {
  LETHE_CHECK(Check(constants).ok() && features <= (Eigen::Index{1} << kMaxHashBits) + 1);
}

double SparseModel::Dot(const Example& example) const {
  LETHE_CHECK(example.at.size() <= kMostTerms);
  double total = 0;
  for (std::size_t i = 0; i < example.at.size();) {
    double block = 0;
    for (const std::size_t end = std::min(i + kBlock, example.at.size()); i < end; ++i) {
      block += v_[example.at[i]] * example.x[static_cast<Eigen::Index>(i)];
    }
    total += block;
  }
  return scale_ * total;
}

void SparseModel::Multiply(const Example& example, double* u) const {
  LETHE_CHECK(example.at.size() <= kMostTerms);
  const auto m = static_cast<std::size_t>(outputs_);
  std::array<double, Loss::kMostClasses> block;  // NOLINT: the entries in use are written first
  std::fill_n(u, m, 0.0);
  for (std::size_t i = 0; i < example.at.size();) {
    std::fill_n(block.data(), m, 0.0);
    for (const std::size_t end = std::min(i + kBlock, example.at.size()); i < end; ++i) {
      const double* const weights = v_.data() + example.at[i] * m;
      const double x = example.x[static_cast<Eigen::Index>(i)];
      for (std::size_t j = 0; j < m; ++j) block[j] += weights[j] * x;
    }
    for (std::size_t j = 0; j < m; ++j) u[j] += block[j];
  }
  for (std::size_t j = 0; j < m; ++j) u[j] *= scale_;
}

void SparseModel::Step(double shrink, const double* push, const Example& example) {
  LETHE_CHECK(shrink > 0 && example.at.size() <= kMostTerms);
  scale_ *= shrink;
  Rescale();
  const auto m = static_cast<std::size_t>(outputs_);
  std::array<double, Loss::kMostClasses> factor;  // NOLINT: the entries in use are written first
  for (std::size_t j = 0; j < m; ++j) factor[j] = push[j] / scale_;
  std::size_t added = 0;
  for (std::size_t i = 0; i < example.at.size(); ++i) {
    double* const weights = v_.data() + example.at[i] * m;
    const double x = example.x[static_cast<Eigen::Index>(i)];
    for (std::size_t j = 0; j < m; ++j) {
      const double before = unit_ * weights[j];
      Add(squares_, -(before * before));
      weights[j] -= factor[j] * x;
      const double after = unit_ * weights[j];
      Add(squares_, after * after);
      if (++added % kBlock == 0) Normalise(squares_);
    }
  }
  Normalise(squares_);
  FinishStep();
}

void SparseModel::Step(double shrink, double push, const Example& example) {
  LETHE_CHECK(shrink > 0 && example.at.size() <= kMostTerms);
  scale_ *= shrink;
  Rescale();
  const double factor = push / scale_;
  for (std::size_t i = 0; i < example.at.size();) {
    for (const std::size_t end = std::min(i + kBlock, example.at.size()); i < end; ++i) {
      double& weight = v_[example.at[i]];
      const double before = unit_ * weight;
      Add(squares_, -(before * before));
      weight -= factor * example.x[static_cast<Eigen::Index>(i)];
      const double after = unit_ * weight;
      Add(squares_, after * after);
    }
    Normalise(squares_);
  }
  FinishStep();
}

void SparseModel::FinishStep() {
  if (++steps_ == period_) Recompute();
  Project();
}

Vector SparseModel::Take() {
  v_ *= scale_;
  return std::move(v_);
}

void SparseModel::Set(Vector z) {
  v_ = std::move(z);
  scale_ = unit_ = inverse_unit_ = 1;
  Recompute();
  Project();
}

void SparseModel::Project() {
  const double squared = squared_norm();
  if (!(squared > inner_radius_ * inner_radius_)) return;
  scale_ *= inner_radius_ / std::sqrt(squared);
  Rescale();
}

void SparseModel::Rescale() {
  while (scale_ * inverse_unit_ < kLeastRatio) {
    unit_ *= kLeastRatio;
    inverse_unit_ /= kLeastRatio;
    squares_.high *= kLeastRatio * kLeastRatio;
    squares_.low *= kLeastRatio * kLeastRatio;
  }
  if (scale_ >= least_scale_) return;
  scale_ = scale_ * kFold * kFold;
  v_ = v_ / kFold / kFold;
  // The product of unit_ and v_ stays the same.
  unit_ = unit_ * kFold * kFold;
  inverse_unit_ = inverse_unit_ / kFold / kFold;
}

void SparseModel::Recompute() {
  squares_ = {};
  for (Eigen::Index i = 0; i < v_.size();) {
    const Eigen::Index end = std::min<Eigen::Index>(i + kBlock, v_.size());
    for (; i < end; ++i) {
      const double value = unit_ * v_[i];
      Add(squares_, value * value);
    }
    Normalise(squares_);
  }
  LETHE_CHECK(std::isfinite(squares_.high));
  steps_ = 0;
}

}  // namespace lethe
