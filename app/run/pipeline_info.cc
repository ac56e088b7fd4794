#include "app/run/pipeline_info.h"

#include "engine/spec/config_hash.h"
#include "engine/spec/dimension.h"

namespace lethe {

PipelineInfo PipelineInfoOf(const Plan& plan, const Hasher& hasher) {
  const Spec& spec = plan.spec;
  PipelineInfo info;
  info.topic = spec.topic;
  info.mode = spec.forgetting.mode;
  info.guarantee = Name(spec.forgetting.guarantee);
  info.loss = Name(spec.model.loss);
  info.schedule = Name(spec.learning.schedule);
  info.config_sha256 = ConfigSha256(spec, hasher);
  info.dimension = spec.model.dimension;
  info.bias = spec.model.bias;
  info.hash_bits = spec.model.hash_bits;
  info.features = plan.features;
  info.weights = ModelDimension(spec);
  info.classes = spec.model.loss == LossKind::kSoftmax ? spec.model.classes : 0;
  info.class_names = spec.model.class_names;
  info.radius = plan.constants.radius;
  info.certified = plan.WhyNotCertified().empty();
  info.shards = plan.shards;
  info.promise = plan.served;
  info.shard_promise = plan.promise;
  if (spec.forgetting.deadline.event_time_ms > 0) {
    info.deadline_seconds = static_cast<double>(spec.forgetting.deadline.event_time_ms) / 1000;
  }
  return info;
}

}  // namespace lethe
