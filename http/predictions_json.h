#pragma once

#include <vector>

#include "engine/base/json.h"
#include "engine/shard/report.h"

namespace lethe {

// Writes the members "predictions" and, for a classification, "probabilities". `scores` holds the
// scores of each instance, one after the other: one, or for softmax one of each class. Of classes
// with the same score the first is predicted.
void WritePredictions(JsonWriter& json, const PipelineInfo& info,
                      const std::vector<double>& scores);

}  // namespace lethe
