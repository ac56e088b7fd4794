#include "engine/admission/event_validator.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <string>

#include "engine/admission/feature_hash.h"
#include "engine/base/fused_kernels.h"

namespace lethe {
namespace {

Rejection Refuse(Reason reason, std::string message) {
  return {.reason = reason, .message = std::move(message), .is_request = false};
}

// Shrinks x, which is finite and not zero, to a computed norm of at most `bound`. Scaling by the
// largest entry first keeps the squares finite. Rounding may leave the norm a little above the
// bound, so the factor is reduced until it is not. Returns false if 16 reductions were not enough;
// no such x is known.
bool RescaleTo(double bound, Eigen::Ref<Vector> x) {
  x /= x.cwiseAbs().maxCoeff();
  double factor = bound / x.norm();
  const Vector direction = x;
  for (int i = 0; i < 16; ++i) {
    x = direction * factor;
    if (x.norm() <= bound) return true;
    factor *= 1 - 2 * DBL_EPSILON;
  }
  return false;
}

// The comparison is false for NaN, so features with a NaN or an infinity are never within.
bool IsWithin(double bound, double squared_norm) { return std::sqrt(squared_norm) <= bound; }

// A threshold for the squared norm: below it, IsWithin is true whatever the rounding, and its
// square root need not be computed. It is 0, which no squared norm is below, where squares could
// overflow or lose digits.
double SurelyWithin(double bound) {
  return bound > 1e-100 && bound < 1e100 ? bound * bound * (1 - 8 * DBL_EPSILON) : 0;
}

}  // namespace

EventValidator::EventValidator(const ModelSpec& model)
    : model_(model), surely_within_(SurelyWithin(model.feature_norm)) {
  for (const std::string& name : model_.class_names) {
    classes_.emplace_back(name, static_cast<double>(classes_.size()));
  }
  std::sort(classes_.begin(), classes_.end());
}

std::optional<Rejection> EventValidator::Admit(const Event& event, Example& example) const {
  auto rejection = model_.hash_bits ? AdmitNamed(event, example) : AdmitDense(event, example);
  if (rejection) return rejection;
  return AdmitTarget(event.label, event.y, event.w, example);
}

bool EventValidator::AdmitView(const LearnView& learn, Example& example) const {
  const Eigen::Index dimension = feature_dimension();
  if (model_.hash_bits || static_cast<Eigen::Index>(learn.count) != dimension) return false;
  example.at.clear();
  example.x.resize(input_dimension());
  const double squared_norm = learn.is_float32
                                  ? WidenWithSquaredNorm(learn.x, learn.count, example.x.data())
                                  : UnpackWithSquaredNorm(learn.x, learn.count, example.x.data());
  if (model_.bias) example.x[dimension] = 1;
  return squared_norm < surely_within_ && !AdmitTarget(learn.label, learn.y, learn.w, example);
}

std::optional<Rejection> EventValidator::AdmitDense(const Event& event, Example& example) const {
  const Eigen::Index dimension = feature_dimension();
  if (!event.named.empty()) {
    return Refuse(Reason::kWrongDimension,
                  "f: this model takes dense features x of length " + std::to_string(dimension));
  }
  if (static_cast<Eigen::Index>(event.x.size()) != dimension) {
    return Refuse(Reason::kWrongDimension, "x: has " + std::to_string(event.x.size()) +
                                               " values, the model takes " +
                                               std::to_string(dimension));
  }
  example.at.clear();
  example.x.resize(input_dimension());
  auto x = example.x.head(dimension);
  const double squared_norm = CopyWithSquaredNorm(event.x.data(), event.x.size(), x.data());
  if (model_.bias) example.x[dimension] = 1;
  if (squared_norm < surely_within_ || IsWithin(model_.feature_norm, squared_norm)) {
    return std::nullopt;
  }
  for (Eigen::Index i = 0; i < dimension; ++i) {
    if (!std::isfinite(x[i])) {
      return Refuse(Reason::kNotFinite, "x[" + std::to_string(i) + "]: is not a finite number");
    }
  }
  return AdmitNorm("x", x);
}

std::optional<Rejection> EventValidator::AdmitNamed(const Event& event, Example& example) const {
  if (!event.x.empty()) {
    return Refuse(Reason::kWrongDimension, "x: this model takes named features f");
  }
  if (event.named.size() > kMaxFeatures) {
    return Refuse(Reason::kTooLarge, "f: has " + std::to_string(event.named.size()) +
                                         " features, the most is " + std::to_string(kMaxFeatures));
  }
  for (std::size_t i = 0; i < event.named.size(); ++i) {
    if (!std::isfinite(event.named[i].second)) {
      return Refuse(Reason::kNotFinite, "f[" + std::to_string(i) + "]: is not a finite number");
    }
  }
  HashFeatures(event.named, *model_.hash_bits, model_.bias, example);
  auto x = example.x.head(example.x.size() - (model_.bias ? 1 : 0));
  if (!x.allFinite()) {
    return Refuse(Reason::kNotFinite, "f: features that share a place add up to no finite number");
  }
  return AdmitNorm("f", x);
}

std::optional<Rejection> EventValidator::AdmitNorm(const char* field, Eigen::Ref<Vector> x) const {
  if (IsWithin(model_.feature_norm, x.squaredNorm())) return std::nullopt;
  if (model_.oversized == Oversized::kRescale && RescaleTo(model_.feature_norm, x)) {
    return std::nullopt;
  }
  return Refuse(Reason::kOversized, std::string(field) + ": its norm is above model.feature_norm");
}

std::optional<Rejection> EventValidator::AdmitTarget(const std::optional<std::string_view>& label,
                                                     double y, double w, Example& example) const {
  if (!std::isfinite(w)) return Refuse(Reason::kNotFinite, "w: is not a finite number");
  if (w < 0) return Refuse(Reason::kWeightOutOfRange, "w: is negative");
  if (w > model_.weight_bound) {
    return Refuse(Reason::kWeightOutOfRange, "w: is above model.weight_bound");
  }
  example.w = w == 0 ? 0 : w;  // without the sign of a zero
  if (model_.loss == LossKind::kSoftmax) return AdmitClass(label, y, example);
  if (label) {
    return Refuse(Reason::kWrongType,
                  "y: is a text, and this model takes a number (names of classes need model.loss: "
                  "softmax and model.classes)");
  }
  return AdmitLabel(y, example);
}

// Labels are the numbers of the classes or, if these have names, the names. An integer then stands
// for its decimal text, as in an id.
std::optional<Rejection> EventValidator::AdmitClass(const std::optional<std::string_view>& label,
                                                    double y, Example& example) const {
  if (!label && !std::isfinite(y)) return Refuse(Reason::kNotFinite, "y: is not a finite number");
  constexpr double kExact = 0x1p53;
  const bool is_whole = std::abs(y) <= kExact && y == std::trunc(y);
  if (classes_.empty()) {
    if (!label && is_whole && y >= 0 && y < static_cast<double>(model_.classes)) {
      example.y = y == 0 ? 0 : y;  // without the sign of a zero
      return std::nullopt;
    }
    return Refuse(
        label ? Reason::kWrongType : Reason::kLabelOutOfRange,
        "y: must be the number of a class, from 0 to " + std::to_string(model_.classes - 1));
  }
  if (!label && !is_whole) {
    return Refuse(Reason::kWrongType, "y: must be the name of a class in model.classes");
  }
  const std::string number = label ? "" : std::to_string(static_cast<std::int64_t>(y));
  const std::string_view name = label ? *label : std::string_view(number);
  const auto found =
      std::lower_bound(classes_.begin(), classes_.end(), name,
                       [](const auto& known, std::string_view n) { return known.first < n; });
  if (found == classes_.end() || found->first != name) {
    return Refuse(Reason::kUnknownClass, "y: names no class in model.classes");
  }
  example.y = found->second;
  return std::nullopt;
}

std::optional<Rejection> EventValidator::AdmitLabel(double y, Example& example) const {
  if (!std::isfinite(y)) return Refuse(Reason::kNotFinite, "y: is not a finite number");
  if (model_.loss == LossKind::kLogistic) {
    if (y != 1 && y != -1 && y != 0) {
      return Refuse(Reason::kLabelOutOfRange, "y: must be -1 (or 0) or +1 for the logistic loss");
    }
    example.y = y == 1 ? 1 : -1;
    return std::nullopt;
  }
  if (!(std::abs(y) <= model_.label_bound)) {
    return Refuse(Reason::kLabelOutOfRange, "y: its absolute value is above model.label_bound");
  }
  example.y = y;
  return std::nullopt;
}

}  // namespace lethe
