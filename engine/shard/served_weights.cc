#include "engine/shard/served_weights.h"

#include "engine/base/check.h"

namespace lethe {

Vector ServedWeights(const Loss& loss, const Vector& model) {
  if (!loss.is_softmax()) return model;
  if (loss.outputs() == loss.scores()) return (model.array() + 0.0).matrix();
  LETHE_CHECK(model.size() % loss.outputs() == 0);
  const Eigen::Index features = model.size() / loss.outputs();
  Vector served(features * loss.scores());
  for (Eigen::Index i = 0; i < features; ++i) {
    loss.Scores(model.data() + i * loss.outputs(), served.data() + i * loss.scores());
  }
  // A sum with +0 has no negative zero.
  return (served.array() + 0.0).matrix();
}

Eigen::Index WeightsPerFeature(const PipelineInfo& info) {
  return info.classes > 0 ? static_cast<Eigen::Index>(info.classes) : 1;
}

void WriteClasses(JsonWriter& json, const PipelineInfo& info) {
  json.BeginArray();
  for (Eigen::Index k = 0; k < info.classes; ++k) WriteClass(json, info, k);
  json.EndArray();
}

void WriteClass(JsonWriter& json, const PipelineInfo& info, Eigen::Index number) {
  if (info.class_names.empty()) {
    json.Value(std::int64_t{number});
  } else {
    json.Value(info.class_names[static_cast<std::size_t>(number)]);
  }
}

}  // namespace lethe
