#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/admission/feature_encoder.h"
#include "engine/base/types.h"
#include "engine/ports/event.h"
#include "engine/ports/example.h"
#include "engine/ports/learn_view.h"
#include "engine/spec/spec.h"

namespace lethe {

// Enforces the bounds from which Constants are derived. An accepted example is finite, has the
// features that the model takes, has |x| <= feature_norm without the bias (after hashing and all
// maps of features), and has a label that the loss admits and a weight from 0 to weight_bound.
// Nothing else may reach the learner, because every certificate rests on these bounds. Thread-safe;
// owns a copy of the model's settings and shares the maps.
class EventValidator {
 public:
  explicit EventValidator(const ModelSpec& model, std::shared_ptr<const FeatureMap> map = nullptr);

  // The number of features, bias included.
  Eigen::Index input_dimension() const { return encoder_.input_dimension(); }

  // Fills `example` and returns nullopt, or returns the rejection; `example` is then unspecified.
  // The message of a rejection has no feature value, feature name, id or subject.
  std::optional<Rejection> Admit(const Event& event, Example& example) const;
  // Fast path of Admit for dense learns. Returns false if the event needs Admit (wrong dimension,
  // norm above the bound, bad label); `example` is then unspecified.
  bool AdmitView(const LearnView& learn, Example& example) const;

 private:
  std::optional<Rejection> AdmitNorm(double squared_norm, Example& example) const;
  std::optional<Rejection> AdmitTarget(const std::optional<std::string_view>& label, double y,
                                       double w, Example& example) const;
  std::optional<Rejection> AdmitLabel(double y, Example& example) const;
  std::optional<Rejection> AdmitClass(const std::optional<std::string_view>& label, double y,
                                      Example& example) const;

  ModelSpec model_;
  FeatureEncoder encoder_;
  std::vector<std::pair<std::string, double>> classes_;  // by name, sorted: the class number
  double surely_within_;  // a squared norm below this is within the bound, without a square root
};

}  // namespace lethe
