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

OnlineRun::OnlineRun(const Loss& loss, const Constants& constants, const Schedule& schedule,
                     Eigen::Index model_dimension, Features features, Ledger::Account account)
    : loss_(loss),
      constants_(constants),
      schedule_(schedule),
      dimension_(model_dimension),
      ledger_(constants, schedule,
              features == Features::kSparse ? SparseModel::Terms() : model_dimension, account) {
  if (features == Features::kSparse) {
    sparse_.emplace(constants, model_dimension);
  } else {
    z_.setZero(model_dimension);
  }
}

double OnlineRun::NextStep(double squared_gradient) {
  squared_gradients_ += squared_gradient;
  return schedule_.AdaptiveStep(squared_gradients_);
}

Prediction OnlineRun::LearnDense(const Example& example) {
  const double prediction = z_.dot(example.x);
  const double slope = loss_.Slope(prediction, example.y);
  const double eta = schedule_.is_public()
                         ? schedule_.Step(ledger_.steps() + 1)
                         : NextStep((slope * example.x + constants_.mu * z_).squaredNorm());
  const double squared_norm =
      StepWithSquaredNorm(1 - eta * constants_.mu, eta * slope, example.x.data(),
                          static_cast<std::size_t>(z_.size()), z_.data());
  squared_norm_ = Project(z_, squared_norm, constants_.radius);
  ledger_.Step(eta);
  return {prediction};
}

Prediction OnlineRun::LearnSparse(const Example& example) {
  const double prediction = sparse_->Dot(example);
  const double slope = loss_.Slope(prediction, example.y);
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

void OnlineRun::Skip() {
  // An adaptive step size is a function of the gradient. Here there is none, so the step is 0.
  ledger_.Step(schedule_.is_public() ? schedule_.Step(ledger_.steps() + 1) : 0);
}

void OnlineRun::Descend(const MeanCost& cost, std::int64_t count) {
  LETHE_CHECK(!sparse_);
  const double eta = constants_.max_step();
  for (std::int64_t i = 0; i < count; ++i) {
    z_ -= eta * cost.Gradient(z_);
    squared_norm_ = Project(z_, constants_.radius);
  }
  ledger_.Descend(eta, cost.count(), count);
}

Status OnlineRun::Reset(const MeanCost& cost, double tolerance) {
  LETHE_CHECK(!sparse_);
  LETHE_RETURN_IF_ERROR(ResetTo(cost, constants_, tolerance, z_));
  squared_norm_ = z_.squaredNorm();
  const auto n = static_cast<double>(std::max<std::int64_t>(1, cost.count()));
  ledger_.Reset((2 * tolerance + constants_.L / n) / constants_.mu * (1 + 8 * DBL_EPSILON));
  return Status::Ok();
}

void OnlineRun::MoveTo(Vector z, double influence) {
  LETHE_CHECK(!sparse_);
  squared_norm_ = Project(z, constants_.radius);
  z_ = std::move(z);
  ledger_.Reset(influence);
}

void OnlineRun::Shrink(double factor, bool moves) {
  ledger_.Shrink(factor);
  if (!moves) return;
  if (sparse_) {
    sparse_->Set(factor * sparse_->Take());
  } else {
    z_ *= factor;
    squared_norm_ = Project(z_, constants_.radius);
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
  Vector z = sparse_ ? sparse_->Take() : std::move(z_);
  AddGridNoise(z, sigma, constants_.radius, random, stream);
  if (sparse_) {
    sparse_->Set(std::move(z));
  } else {
    squared_norm_ = Project(z, constants_.radius);
    z_ = std::move(z);
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
  if (!archive.complete() || (sparse_ ? sparse_->dimension() : z_.size()) != dimension_) {
    return {ErrorCode::kInput, "the stored model cannot be read"};
  }
  return ledger_.LoadGrown(state);
}

double OnlineRun::HalfLife() const {
  const double eta = schedule_.is_public()    ? schedule_.Step(ledger_.steps() + 1)
                     : squared_gradients_ > 0 ? schedule_.AdaptiveStep(squared_gradients_)
                                              : constants_.max_step();
  return std::numbers::ln2 / -elementary::Log1p(-eta * constants_.mu);
}

}  // namespace lethe
