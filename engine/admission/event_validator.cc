#include "engine/admission/event_validator.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "engine/admission/rescale.h"

namespace lethe {
namespace {

Rejection Refuse(Reason reason, std::string message) {
  return {.reason = reason, .message = std::move(message), .is_request = false};
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

EventValidator::EventValidator(const ModelSpec& model, std::shared_ptr<const FeatureMap> map)
    : model_(model),
      encoder_(model, std::move(map)),
      surely_within_(SurelyWithin(model.feature_norm)) {
  for (const std::string& name : model_.class_names) {
    classes_.emplace_back(name, static_cast<double>(classes_.size()));
  }
  std::sort(classes_.begin(), classes_.end());
}

std::optional<Rejection> EventValidator::Admit(const Event& event, Example& example) const {
  double squared_norm = 0;
  if (auto rejection = encoder_.Encode(event, example, squared_norm)) return rejection;
  if (!(squared_norm < surely_within_)) {
    if (auto rejection = AdmitNorm(squared_norm, example)) return rejection;
  }
  return AdmitTarget(event.label, event.y, event.w, example);
}

bool EventValidator::AdmitView(const LearnView& learn, Example& example) const {
  double squared_norm = 0;
  if (!encoder_.EncodeView(learn, example, squared_norm)) return false;
  if (!(squared_norm < surely_within_) && !IsWithin(model_.feature_norm, squared_norm)) {
    return false;
  }
  return !AdmitTarget(learn.label, learn.y, learn.w, example);
}

std::optional<Rejection> EventValidator::AdmitNorm(double squared_norm, Example& example) const {
  if (IsWithin(model_.feature_norm, squared_norm)) return std::nullopt;
  if (model_.oversized == Oversized::kRescale &&
      RescaleTo(model_.feature_norm, example.x.head(example.x.size() - (model_.bias ? 1 : 0)))) {
    return std::nullopt;
  }
  return Refuse(Reason::kOversized, std::string(model_.hash_bits ? "f" : "x") +
                                        ": its norm is above model.feature_norm");
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
