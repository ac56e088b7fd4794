#pragma once

#include <optional>

#include "engine/base/types.h"
#include "engine/ports/event.h"
#include "engine/ports/example.h"
#include "engine/ports/learn_view.h"
#include "engine/spec/spec.h"

namespace lethe {

// Enforces the bounds that the constants were derived from. What passes is finite, has the features
// that the model takes, |x| <= feature_norm (for a hashed model: of what was hashed) and an
// admissible label. Nothing else may reach the learner.
class EventValidator {
 public:
  explicit EventValidator(const ModelSpec& model);

  // The number of weights, bias included.
  Eigen::Index model_dimension() const { return feature_dimension() + (model_.bias ? 1 : 0); }

  // Fills `example`, or says why not. Messages carry no values and no names.
  std::optional<Rejection> Admit(const Event& event, Example& example) const;
  // The same in a hurry. False: it is to be looked at closely, by the other one.
  bool AdmitView(const LearnView& learn, Example& example) const;

 private:
  Eigen::Index feature_dimension() const {
    return model_.hash_bits ? Eigen::Index{1} << *model_.hash_bits : model_.dimension;
  }

  std::optional<Rejection> AdmitDense(const Event& event, Example& example) const;
  std::optional<Rejection> AdmitNamed(const Event& event, Example& example) const;
  std::optional<Rejection> AdmitNorm(const char* field, Eigen::Ref<Vector> x) const;
  std::optional<Rejection> AdmitLabel(double y, Example& example) const;

  ModelSpec model_;
  double surely_within_;  // most events are, and then the root of their squared norm is spared
};

}  // namespace lethe
