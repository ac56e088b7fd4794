#include "engine/online_run.h"

#include <cfloat>
#include <cmath>
#include <numbers>

#include "engine/check.h"
#include "engine/noise.h"

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
  Project(z_, constants_.radius);
  ledger_.Step(eta);
  return prediction;
}

void OnlineRun::Skip() {
  LETHE_CHECK(schedule_.is_public());
  ledger_.Step(schedule_.Step(ledger_.steps() + 1));
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
  Project(z_, constants_.radius);
  LETHE_CHECK(std::isfinite(z_.squaredNorm()));
  BookDraw(sigma);
}

double OnlineRun::HalfLife() const {
  const double eta = schedule_.is_public() ? schedule_.Step(ledger_.steps() + 1)
                     : ledger_.steps() > 0 ? ledger_.StepSize({ledger_.steps() - 1})
                                           : constants_.max_step();
  return std::numbers::ln2 / -std::log1p(-eta * constants_.mu);
}

}  // namespace lethe
