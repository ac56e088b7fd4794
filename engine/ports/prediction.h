#pragma once

#include <span>

namespace lethe {

// What a model says of one event. A model with one output has a score, <z, x>. A model of several
// classes has one score for each class; the span is borrowed from the model and valid until its
// next call.
struct Prediction {
  double score = 0;
  std::span<const double> scores = {};  // empty: the model has one output
};

}  // namespace lethe
