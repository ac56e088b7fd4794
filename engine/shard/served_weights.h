#pragma once

#include <string>
#include <vector>

#include "engine/base/json.h"
#include "engine/base/types.h"
#include "engine/shard/report.h"
#include "engine/spec/loss.h"

namespace lethe {

// The weights that leave the engine. A model with one output is served as it is. A softmax model is
// served as one weight of each feature for each of its K classes, whether or not the engine learns
// K - 1 outputs: the weights of feature i are at [i K, (i + 1) K), and with a bias the last K are
// the intercepts. No zero has a sign, because JSON readers drop it. The map is linear, so the mean
// of served models is the served mean.
Vector ServedWeights(const Loss& loss, const Vector& model);

// The served weights of one feature: 1, or the number of classes.
Eigen::Index WeightsPerFeature(const PipelineInfo& info);

// Writes the classes of a softmax model as an array: their names, or 0 to K - 1.
void WriteClasses(JsonWriter& json, const PipelineInfo& info);
// Writes one class, by its name if it has one and else by its number.
void WriteClass(JsonWriter& json, const PipelineInfo& info, Eigen::Index number);

}  // namespace lethe
