#include "engine/spec/constants.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdio>
#include <initializer_list>

#include "engine/spec/loss.h"

namespace lethe {
namespace {

// Covers the rounding errors of one formula.
constexpr double kUp = 1 + 8 * DBL_EPSILON;

// The validator compares the computed |x| with R, and payloads may be stored as float32; both are
// covered by deriving everything for a slightly larger R.
constexpr double kFeatureSlack = 1 + 0x1p-20;

// The range of admissible scales. For x in this range, x^2 and (2^-53 x)^2 are normal doubles, and
// x is a normal float32. Beyond it a square may underflow: then a computed norm would be 0, and the
// validator would accept anything.
constexpr double kLeastScale = 1e-30;
constexpr double kMostScale = 1e30;

bool IsComputable(double scale) { return scale >= kLeastScale && scale <= kMostScale; }

Status NotComputable(const char* key, double value) {
  char text[300];
  std::snprintf(text, sizeof text,
                "%s: %g is no scale to compute with in doubles, whose squares would overflow or "
                "vanish and with them every bound; choose a value between 1e-30 and 1e30, and the "
                "unit of the data to match",
                key, value);
  return {ErrorCode::kConfig, text};
}

// Checks the scales that the loss uses, and no others.
Status CheckScales(const ModelSpec& model) {
  if (!IsComputable(model.feature_norm)) {
    return NotComputable("model.feature_norm", model.feature_norm);
  }
  if (!IsComputable(model.radius)) return NotComputable("model.radius", model.radius);
  if (!IsComputable(model.lambda)) return NotComputable("model.lambda", model.lambda);
  const bool has_labels = model.loss == LossKind::kSquared || model.loss == LossKind::kHuber;
  if (has_labels && !IsComputable(model.label_bound)) {
    return NotComputable("model.label_bound", model.label_bound);
  }
  if (model.loss == LossKind::kHuber && !IsComputable(model.huber_width)) {
    return NotComputable("model.huber_width", model.huber_width);
  }
  return Status::Ok();
}

}  // namespace

double Constants::max_step() const { return 2 / (beta + mu) / kUp; }

Result<Constants> Constants::Derive(const ModelSpec& model) {
  LETHE_RETURN_IF_ERROR(CheckScales(model));
  const Loss loss(model);
  Constants c;
  const double bound = model.feature_norm * kFeatureSlack;
  c.feature_norm = model.bias ? std::sqrt(bound * bound + 1) * kUp : bound;
  c.radius = model.radius;
  c.mu = model.lambda;
  const double slope = loss.MaxSlope(c.radius * c.feature_norm, model.label_bound);
  // An importance weight of at most w multiplies the loss and not the regulariser.
  const double w = model.weight_bound;
  c.G = w * (c.feature_norm * slope * kUp) * (w == 1 ? 1 : kUp);
  c.L = (c.G + c.mu * c.radius) * kUp;
  c.beta = (w * (c.feature_norm * c.feature_norm * loss.MaxCurvature()) + c.mu) * kUp;
  for (double value : {c.feature_norm, c.G, c.L, c.beta, c.max_step(), c.L * c.max_step()}) {
    if (!IsComputable(value)) {
      return Status(ErrorCode::kConfig,
                    "model: the constants derived from feature_norm, label_bound, huber_width, "
                    "lambda and radius together are beyond 1e-30 to 1e30, where squares overflow "
                    "or vanish and no bound can be computed; choose values nearer to 1");
    }
  }
  return c;
}

double Contraction(const Constants& constants, double eta) {
  if (eta == 0) return 1;  // no step, no rounding
  // The rounding error of 1 - eta mu is absolute, of the order of epsilon times 1, even if the
  // difference is small.
  return std::max(std::abs(1 - eta * constants.mu), std::abs(1 - eta * constants.beta)) +
         2 * DBL_EPSILON;
}

}  // namespace lethe
