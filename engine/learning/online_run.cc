#include "engine/learning/online_run.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numbers>
#include <utility>

#include "engine/base/archive.h"
#include "engine/base/check.h"
#include "engine/base/elementary.h"
#include "engine/base/fused_kernels.h"
#include "engine/learning/reset.h"
#include "engine/privacy/noise.h"

namespace lethe {

namespace {

// The d of the ledger's round-off term b = (3d + 40) 2^-53 (r + eta L), for dense features. Softmax
// adds 3 K. To first order in u = 2^-53, a step differs from the exact one by:
//
// * u = Z'x, a chain of d for each output: (d + 1) u r R, as vectors. It moves the gradient with
//   respect to the outputs by at most half of that, and the weights by eta R times as much, where
//   eta R^2/2 <= 2: 2 (d + 1) u r.
// * The scores Q u, sums of at most K terms: (K + 3) u |abs(Q)| |u|. abs(Q)'abs(Q) has entries of
//   at most 2/max(j, k) beside a diagonal of 1, so its norm is at most 1 + 2 * 4 (Hilbert's
//   inequality for that kernel), and that of abs(Q) at most 3: 6 (K + 3) u r in the weights.
// * exp(s - max) has a relative error of |s - max| u <= sqrt 2 |s| u from its argument: 6 u r. The
//   exponential, the sum and the quotient: (K + 6) u relative to p, thus (K + 6) u eta R.
// * Q'(p - e_y): 3 (K + 3) u eta G. The factors w and eta, and the step: 5 u (r + eta G).
// * The projection: half of the error of |Z|^2, which is added down the columns and then across:
//   (d + K)/2 + 6 of u r.
//
// Together (2.5 d + 6.5 K + 37) u r + (4 K + 20) u eta G, below b with d + 3 K terms.
std::int64_t Terms(const Loss& loss, Eigen::Index inputs, OnlineRun::Features features) {
  if (features == OnlineRun::Features::kSparse) return SparseModel::Terms(loss);
  return inputs + (loss.is_softmax() ? 3 * loss.scores() : 0);
}

}  // namespace

OnlineRun::OnlineRun(const Loss& loss, const Constants& constants, const Schedule& schedule,
                     Eigen::Index input_dimension, Features features, Ledger::Account account)
    : loss_(loss),
      constants_(constants),
      schedule_(schedule),
      inputs_(input_dimension),
      dimension_(input_dimension * loss.outputs()),
      inner_radius_(constants.radius *
                    (1 - static_cast<double>(input_dimension + loss.outputs() + 16) * 0x1p-53)),
      ledger_(constants, schedule, Terms(loss, input_dimension, features), account) {
  if (schedule.update() != UpdateKind::kSgd) {
    const FeatureSteps::Rule rule{schedule.update(), schedule.rate(), constants.mu};
    feature_steps_.emplace(loss, rule, input_dimension, features == Features::kSparse);
  } else if (features == Features::kSparse) {
    sparse_.emplace(constants, input_dimension, loss.outputs());
  } else {
    z_.setZero(dimension_);
  }
  if (loss.is_softmax() && !feature_steps_) work_.setZero(2 * loss.outputs() + loss.scores());
}

double OnlineRun::DenseSquaredNorm() const {
  if (!loss_.is_softmax()) return z_.squaredNorm();
  return RowsSquaredNorm(z_.data(), static_cast<std::size_t>(inputs_),
                         static_cast<std::size_t>(loss_.outputs()));
}

void OnlineRun::ProjectDense(double squared_norm) {
  if (!loss_.is_softmax()) {
    squared_norm_ = Project(z_, squared_norm, constants_.radius);
    return;
  }
  squared_norm_ = squared_norm;
  if (!(squared_norm > inner_radius_ * inner_radius_)) return;
  z_ *= inner_radius_ / std::sqrt(squared_norm);
  squared_norm_ = DenseSquaredNorm();
}

void OnlineRun::Outputs(const Example& example, double* u) const {
  if (sparse_) return sparse_->Multiply(example, u);
  LETHE_CHECK(example.x.size() == inputs_);
  MultiplyRows(z_.data(), static_cast<std::size_t>(loss_.outputs()), example.x.data(),
               static_cast<std::size_t>(inputs_), u);
}

void OnlineRun::Scores(const Example& example, double* scores) const {
  if (feature_steps_) return feature_steps_->Scores(example, scores);
  Vector u(loss_.outputs());
  Outputs(example, u.data());
  loss_.Scores(u.data(), scores);
}

double OnlineRun::NextStep(double squared_gradient) {
  squared_gradients_ += squared_gradient;
  return schedule_.AdaptiveStep(squared_gradients_);
}

Prediction OnlineRun::LearnDense(const Example& example) {
  const double prediction = z_.dot(example.x);
  if (IsSkipped(example)) {
    Skip();
    return {prediction};
  }
  const double slope = example.w * loss_.Slope(prediction, example.y);
  const double eta = schedule_.is_public()
                         ? schedule_.Step(ledger_.steps() + 1)
                         : NextStep((slope * example.x + constants_.mu * z_).squaredNorm());
  const double squared_norm =
      StepWithSquaredNorm(1 - eta * constants_.mu, eta * slope, example.x.data(),
                          static_cast<std::size_t>(z_.size()), z_.data());
  ProjectDense(squared_norm);
  ledger_.Step(eta);
  return {prediction};
}

Prediction OnlineRun::LearnSparse(const Example& example) {
  const double prediction = sparse_->Dot(example);
  if (IsSkipped(example)) {
    Skip();
    return {prediction};
  }
  const double slope = example.w * loss_.Slope(prediction, example.y);
  // |slope x + mu z|^2, expanded so that it costs O(features); rounding may make it negative.
  const auto squared_gradient = [&] {
    return std::max(0.0, slope * slope * example.x.squaredNorm() +
                             2 * slope * constants_.mu * prediction +
                             constants_.mu * constants_.mu * sparse_->squared_norm());
  };
  const double eta =
      schedule_.is_public() ? schedule_.Step(ledger_.steps() + 1) : NextStep(squared_gradient());
  sparse_->Step(1 - eta * constants_.mu, eta * slope, example);
  ledger_.Step(eta);
  return {prediction};
}

Prediction OnlineRun::LearnMany(const Example& example) {
  const int m = loss_.outputs();
  double* const u = work_.data();
  double* const push = u + m;
  double* const scores = push + m;
  Outputs(example, u);
  loss_.Scores(u, scores);
  const Prediction prediction{.scores = {scores, static_cast<std::size_t>(loss_.scores())}};
  if (IsSkipped(example)) {
    Skip();
    return prediction;
  }
  loss_.GradientOfScores(scores, example.y, push);
  Eigen::Map<Vector> gradient(push, m);
  gradient *= example.w;
  // |x g' + mu Z|^2, expanded; rounding may make it negative.
  const auto squared_gradient = [&] {
    return std::max(0.0, gradient.squaredNorm() * example.x.squaredNorm() +
                             2 * constants_.mu * gradient.dot(Eigen::Map<const Vector>(u, m)) +
                             constants_.mu * constants_.mu * squared_norm());
  };
  const double eta =
      schedule_.is_public() ? schedule_.Step(ledger_.steps() + 1) : NextStep(squared_gradient());
  gradient *= eta;
  const double keep = 1 - eta * constants_.mu;
  if (sparse_) {
    sparse_->Step(keep, push, example);
  } else {
    ProjectDense(StepRowsWithSquaredNorm(keep, push, static_cast<std::size_t>(m), example.x.data(),
                                         static_cast<std::size_t>(inputs_), z_.data()));
  }
  ledger_.Step(eta);
  return prediction;
}

Prediction OnlineRun::LearnPerFeature(const Example& example) {
  ledger_.Step(schedule_.nominal_step());
  return feature_steps_->Learn(example);
}

void OnlineRun::Skip() {
  // An adaptive step size is a function of the gradient. Here there is none, so the step is 0.
  ledger_.Step(schedule_.is_public() ? schedule_.Step(ledger_.steps() + 1) : 0);
}

void OnlineRun::Descend(const MeanCost& cost, std::int64_t count) {
  LETHE_CHECK(!sparse_ && !feature_steps_);
  const double eta = constants_.max_step();
  for (std::int64_t i = 0; i < count; ++i) {
    z_ -= eta * cost.Gradient(z_);
    ProjectDense();
  }
  ledger_.Descend(eta, cost.count(), count);
}

Status OnlineRun::Reset(const MeanCost& cost, double tolerance) {
  LETHE_CHECK(!sparse_ && !feature_steps_);
  LETHE_RETURN_IF_ERROR(ResetTo(cost, constants_, tolerance, z_));
  squared_norm_ = DenseSquaredNorm();
  const auto n = static_cast<double>(std::max<std::int64_t>(1, cost.count()));
  ledger_.Reset((2 * tolerance + constants_.L / n) / constants_.mu * (1 + 8 * DBL_EPSILON));
  return Status::Ok();
}

void OnlineRun::MoveTo(Vector z, double influence) {
  LETHE_CHECK(!sparse_ && !feature_steps_);
  z_ = std::move(z);
  ProjectDense();
  ledger_.Reset(influence);
}

void OnlineRun::Shrink(double factor, bool moves) {
  ledger_.Shrink(factor);
  if (!moves) return;
  if (feature_steps_) {
    feature_steps_->Set(factor * feature_steps_->weights());
  } else if (sparse_) {
    sparse_->Set(factor * sparse_->Take());
  } else {
    z_ *= factor;
    ProjectDense();
  }
}

double OnlineRun::ExtraShift(double sigma, double shrink) const {
  // A sparse model is made dense before the draw, which rounds every weight once.
  const double dense = sparse_ ? ledger_.RoundOffOfOneOperation(0) : 0;
  return ledger_.RoundOffAfter(shrink) + ledger_.DroppedInfluence(shrink) +
         GridShift(sigma, constants_.radius, dimension_) + dense;
}

void OnlineRun::BookDraw(double sigma) {
  // The grid counts twice: the model was rounded, and if a later deletion lets this draw absorb a
  // part of its shift, the shifted point is rounded too.
  ledger_.AddRoundOff(2 * GridShift(sigma, constants_.radius, dimension_) +
                      ledger_.RoundOffOfOneOperation(0));
}

void OnlineRun::Draw(double sigma, RandomSource& random, const Stream& stream) {
  Vector z = feature_steps_ ? feature_steps_->weights() : sparse_ ? sparse_->Take() : std::move(z_);
  if (feature_steps_) Project(z, constants_.radius);
  AddGridNoise(z, sigma, constants_.radius, random, stream);
  if (feature_steps_) {
    Project(z, constants_.radius);
    feature_steps_->Set(std::move(z));
  } else if (sparse_) {
    sparse_->Set(std::move(z));
  } else {
    z_ = std::move(z);
    ProjectDense();
  }
  LETHE_CHECK(std::isfinite(squared_norm()));
  BookDraw(sigma);
}

void OnlineRun::Save(State& state) {
  SavingArchive archive;
  archive(*this);
  state.Put(Part::kRun, archive.Take());
  ledger_.SaveGrown(state);
}

Status OnlineRun::Load(const State& state) {
  const auto bytes = state.Get(Part::kRun);
  LoadingArchive archive(bytes ? *bytes : std::string_view());
  archive(*this);
  const Eigen::Index size = feature_steps_ ? feature_steps_->weights().size()
                            : sparse_      ? sparse_->dimension()
                                           : z_.size();
  if (!archive.complete() || size != dimension_ || (feature_steps_ && !feature_steps_->fits())) {
    return {ErrorCode::kInput, "the stored model cannot be read"};
  }
  return ledger_.LoadGrown(state);
}

double OnlineRun::HalfLife() const {
  if (feature_steps_) return HUGE_VAL;
  const double eta = schedule_.is_public()    ? schedule_.Step(ledger_.steps() + 1)
                     : squared_gradients_ > 0 ? schedule_.AdaptiveStep(squared_gradients_)
                                              : constants_.max_step();
  return std::numbers::ln2 / -elementary::Log1p(-eta * constants_.mu);
}

}  // namespace lethe
