#pragma once

#include <optional>

#include "engine/event.h"
#include "engine/example.h"
#include "engine/spec.h"
#include "engine/types.h"

namespace lethe {

// Enforces the bounds that the constants were derived from. What passes is finite, has the right
// dimension, |x| <= feature_norm and an admissible label. Nothing else may reach the learner.
class Door {
 public:
  explicit Door(const ModelSpec& model) : model_(model) {}

  // The number of weights, bias included.
  Eigen::Index model_dimension() const { return model_.dimension + (model_.bias ? 1 : 0); }

  // Fills `example`, or says why not. Messages carry no values.
  std::optional<Rejection> Admit(const Event& event, Example& example) const;

 private:
  std::optional<Rejection> AdmitFeatures(const Event& event, Example& example) const;
  std::optional<Rejection> AdmitLabel(double y, Example& example) const;

  ModelSpec model_;
};

}  // namespace lethe
