#include "engine/constants.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <initializer_list>

#include "engine/loss.h"

namespace lethe {
namespace {

// Covers the few roundings of one formula.
constexpr double kUp = 1 + 8 * DBL_EPSILON;

// The door compares the computed |x| with R, and payloads may be stored as float32; both are
// covered by deriving everything for a slightly larger R.
constexpr double kFeatureSlack = 1 + 0x1p-20;

}  // namespace

double Constants::max_step() const { return 2 / (beta + mu) / kUp; }

Result<Constants> Constants::Derive(const ModelSpec& model) {
  const Loss loss(model.loss, model.huber_width);
  Constants c;
  const double bound = model.feature_norm * kFeatureSlack;
  c.feature_norm = model.bias ? std::sqrt(bound * bound + 1) * kUp : bound;
  c.radius = model.radius;
  c.mu = model.lambda;
  const double slope = loss.MaxSlope(c.radius * c.feature_norm, model.label_bound);
  c.G = c.feature_norm * slope * kUp;
  c.L = (c.G + c.mu * c.radius) * kUp;
  c.beta = (c.feature_norm * c.feature_norm * loss.MaxCurvature() + c.mu) * kUp;
  for (double value : {c.feature_norm, c.radius, c.mu, c.G, c.L, c.beta, c.max_step(),
                       c.L * c.max_step(), c.radius * c.radius}) {
    if (!(std::isnormal(value) && value > 0)) {
      return Status(ErrorCode::kConfig,
                    "model: the constants derived from feature_norm, label_bound, huber_width, "
                    "lambda and radius overflow or vanish, so the model would not stay finite; "
                    "choose values nearer to 1");
    }
  }
  return c;
}

double Contraction(const Constants& constants, double eta) {
  if (eta == 0) return 1;  // no step, no rounding
  // The error of 1 - eta mu is absolute: of the order of the 1, however little remains.
  return std::max(std::abs(1 - eta * constants.mu), std::abs(1 - eta * constants.beta)) +
         2 * DBL_EPSILON;
}

}  // namespace lethe
