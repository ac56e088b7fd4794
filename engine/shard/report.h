#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/types.h"
#include "engine/shard/counters.h"
#include "engine/spec/accountant.h"

namespace lethe {

// What is the same for every report of a process.
struct PipelineInfo {
  std::string topic;
  std::string mode;
  std::string guarantee;
  std::string loss;
  std::string schedule;
  std::string config_sha256;
  std::int64_t dimension = 0;  // of x; with the bias, the weights have one more
  bool bias = false;
  std::optional<std::int64_t> hash_bits;  // named features: 2^hash_bits weights
  std::int64_t weights = 0;               // how many the model has
  double radius = 0;                      // the largest norm that they can have
  bool certified = false;
  std::int64_t shards = 1;  // partitions of the topic; 0: not known yet, and neither are these
  Promise promise;          // of all that is served
  Promise shard_promise;    // of what one shard releases
  std::optional<double> deadline_seconds;  // within which a deletion is to be effective
};

// A shard as it was at a commit: everything that may be told about it. Whoever shows it outside
// shows the last committed one. Nothing here is a drawn value; what depends on data (the losses,
// the model) restarts or is noised at an effective deletion.
struct ShardReport {
  ShardId shard;
  std::string state_id;  // as text
  Counters counters;
  ModelVersion model_version;
  ModelVersion clean_from;
  Vector weights;
  std::int64_t retained_events = 0;
  double half_life = 0;              // events; infinite if nothing fades
  std::optional<double> last_sigma;  // of the last draw
  std::optional<double> regret_bound;
  double regret_noise_bound = 0;
  // Since the last effective deletion; none where no figure without noise may be released.
  std::optional<double> loss_total;
  std::optional<std::int64_t> loss_events;
  std::int64_t pending_requests = 0;
  std::optional<TimeMs> oldest_pending;  // the timestamp of its record
  std::optional<TimeMs> last_event;      // the running maximum of the records' timestamps
  Offset next;                           // where it goes on
  std::int64_t chain_entries = 0;
  std::string chain_head;  // SHA-256, hex
};

}  // namespace lethe
