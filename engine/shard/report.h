#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/admission/feature_map.h"
#include "engine/base/types.h"
#include "engine/shard/counters.h"
#include "engine/spec/accountant.h"

namespace lethe {

// The facts about a pipeline that all its shard reports share. A value type.
struct PipelineInfo {
  std::string topic;
  std::string mode;
  std::string guarantee;
  std::string loss;
  std::string schedule;
  std::string config_sha256;
  std::int64_t dimension = 0;  // of x, before all maps; 0 for named features
  bool bias = false;
  std::optional<std::int64_t> hash_bits;       // named features, hashed to 2^hash_bits places
  std::shared_ptr<const FeatureMap> features;  // nullptr: a row is used as it is
  std::int64_t weights = 0;                    // the number of weights of the model
  std::int64_t classes = 0;                    // of softmax; 0: the model has one output
  std::vector<std::string> class_names;  // in the order of their numbers; empty: without names
  double radius = 0;                     // the bound on the norm of the weights
  bool certified = false;
  // Partitions of the topic. 0: not known yet, and the two promises below are not known either.
  std::int64_t shards = 1;
  Promise promise;                         // for the served average of all shards
  Promise shard_promise;                   // for the releases of one shard
  std::optional<double> deadline_seconds;  // a deletion is effective within this time
};

// A snapshot of a shard, with everything that may be published about it. Only the snapshot of a
// commit may leave the process. No field is a drawn value. The fields that depend on data are the
// model, which is noised at an effective deletion, and the losses, which restart at one. A value
// type.
struct ShardReport {
  ShardId shard;
  std::string state_id;  // as text
  Counters counters;
  ModelVersion model_version;
  ModelVersion clean_from;
  Vector weights;  // as ServedWeights (served_weights.h) writes them
  std::int64_t retained_events = 0;
  double half_life = 0;              // in events; infinite if the influence of events does not fade
  std::optional<double> last_sigma;  // of the last draw
  std::optional<double> regret_bound;
  double regret_noise_bound = 0;
  // The sum of losses since the last effective deletion, and its number of events. nullopt if the
  // mode allows no release without noise. Shard::Report leaves them empty.
  std::optional<double> loss_total;
  std::optional<std::int64_t> loss_events;
  // Members of these events that Lethe does not read. It depends on what was learned, as the losses
  // do.
  std::optional<std::int64_t> unknown_members;
  std::int64_t pending_requests = 0;
  std::optional<TimeMs> oldest_pending;  // when the oldest pending request was received
  std::optional<TimeMs> last_event;      // event time: the running maximum of the timestamps
  // No model depends on anything further back: "200000" events, or "30d" of event time. Empty if
  // events do not expire.
  std::string retention;
  // The first event that may have an influence on the model: all before it have expired.
  EventIndex oldest_influence;
  // Event time when it was learned; nullopt if it has not been learned yet, or without timestamps.
  std::optional<TimeMs> oldest_influence_time;
  ModelVersion expired_since;  // the first version without the events before oldest_influence
  std::int64_t slides = 0;     // how often the window has slid
  // Retention is a time, and no record had a timestamp so far: nothing expires.
  bool lacks_clock = false;
  Offset next;  // the offset of the next record to read
  std::int64_t chain_entries = 0;
  std::string chain_head;  // SHA-256, hex
};

}  // namespace lethe
