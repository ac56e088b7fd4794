#include "engine/online_run.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <numbers>

#include "engine/check.h"
#include "engine/noise.h"
#include "engine/reset.h"

namespace lethe {

OnlineRun::OnlineRun(const Loss& loss, const Constants& constants, const Schedule& schedule,
                     Eigen::Index model_dimension)
    : loss_(loss),
      constants_(constants),
      schedule_(schedule),
      ledger_(constants, schedule, model_dimension),
      z_(Vector::Zero(model_dimension)) {}

double OnlineRun::NextStep(double slope, const Example& example) {
  if (schedule_.is_public()) return schedule_.Step(ledger_.steps() + 1);
  squared_gradients_ += (slope * example.x + constants_.mu * z_).squaredNorm();
  return schedule_.AdaptiveStep(squared_gradients_);
}

double OnlineRun::Learn(const Example& example) {
  const double prediction = Predict(example.x);
  const double slope = loss_.Slope(prediction, example.y);
  const double eta = NextStep(slope, example);
  z_ = (1 - eta * constants_.mu) * z_ - (eta * slope) * example.x;
  squared_norm_ = Project(z_, constants_.radius);
  ledger_.Step(eta);
  return prediction;
}

void OnlineRun::Skip() {
  // An adaptive step is a function of the gradient, and here there is none.
  ledger_.Step(schedule_.is_public() ? schedule_.Step(ledger_.steps() + 1) : 0);
}

void OnlineRun::Descend(const MeanCost& cost, std::int64_t count) {
  const double eta = constants_.max_step();
  for (std::int64_t i = 0; i < count; ++i) {
    z_ -= eta * cost.Gradient(z_);
    squared_norm_ = Project(z_, constants_.radius);
  }
  ledger_.Descend(eta, cost.count(), count);
}

Status OnlineRun::Reset(const MeanCost& cost, double tolerance) {
  LETHE_RETURN_IF_ERROR(ResetTo(cost, constants_, tolerance, z_));
  squared_norm_ = z_.squaredNorm();
  const auto n = static_cast<double>(std::max<std::int64_t>(1, cost.count()));
  ledger_.Reset((2 * tolerance + constants_.L / n) / constants_.mu * (1 + 8 * DBL_EPSILON));
  return Status::Ok();
}

double OnlineRun::ExtraShift(double sigma) const {
  return ledger_.RoundOff() + GridShift(sigma, constants_.radius, z_.size());
}

void OnlineRun::BookDraw(double sigma) {
  ledger_.AddRoundOff(GridShift(sigma, constants_.radius, z_.size()) +
                      ledger_.RoundOffOfOneOperation(0));
}

void OnlineRun::Draw(double sigma, RandomSource& random, const Stream& stream) {
  AddGridNoise(z_, sigma, constants_.radius, random, stream);
  squared_norm_ = Project(z_, constants_.radius);
  LETHE_CHECK(std::isfinite(squared_norm_));
  BookDraw(sigma);
}

double OnlineRun::HalfLife() const {
  const double eta = schedule_.is_public() ? schedule_.Step(ledger_.steps() + 1)
                     : ledger_.steps() > 0 ? ledger_.StepSize({ledger_.steps() - 1})
                                           : constants_.max_step();
  return std::numbers::ln2 / -std::log1p(-eta * constants_.mu);
}

}  // namespace lethe
