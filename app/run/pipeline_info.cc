#include "app/run/pipeline_info.h"

#include "engine/admission/event_validator.h"
#include "engine/spec/config_hash.h"

namespace lethe {

PipelineFacts FactsOf(const Plan& plan, const Hasher& hasher) {
  const Spec& spec = plan.spec;
  PipelineFacts facts;
  facts.topic = spec.topic;
  facts.mode = spec.forgetting.mode;
  facts.guarantee = Name(spec.forgetting.guarantee);
  facts.loss = Name(spec.model.loss);
  facts.schedule = Name(spec.learning.schedule);
  facts.config_sha256 = ConfigSha256(spec, hasher);
  facts.dimension = spec.model.dimension;
  facts.bias = spec.model.bias;
  facts.hash_bits = spec.model.hash_bits;
  facts.weights = Door(spec.model).model_dimension();
  facts.radius = plan.constants.radius;
  facts.certified = plan.WhyNotCertified().empty();
  facts.shards = plan.shards;
  facts.promise = plan.served;
  facts.shard_promise = plan.promise;
  if (spec.forgetting.deadline.event_time_ms > 0) {
    facts.deadline_seconds = static_cast<double>(spec.forgetting.deadline.event_time_ms) / 1000;
  }
  return facts;
}

}  // namespace lethe
