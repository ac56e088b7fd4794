#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "app/convert/convert.h"
#include "app/topics/access.h"
#include "engine/base/status.h"

namespace lethe {

struct RecordOptions {
  std::string topic;
  std::string out;                            // - is stdout
  std::optional<std::string> receipts_topic;  // says when records from the future arrived
  RecordedForm form = RecordedForm::kJson;
  std::optional<std::int64_t> from;       // of every partition that is recorded
  std::optional<std::int64_t> to;         // behind the last one
  std::optional<std::int32_t> partition;  // none: all
  bool show_progress = false;
};

struct RecordResult {
  std::int64_t records = 0;  // written, by partition:
  std::map<std::int32_t, std::int64_t> by_partition;
  std::int32_t partitions = 0;  // of the topic
  std::int64_t bad = 0;         // among them: refused when they are replayed, as they are live
  std::int64_t not_kept = 0;    // that the form cannot hold
  std::int64_t not_kept_requests = 0;  // among them
  std::int64_t not_kept_good = 0;      // among them: a run learns from them, or serves them
};

// Writes a topic, or a part of it, as a recorded stream, up to the end that it has now: partition
// after partition, since each is a shard of its own. A replay of it gives what a live run gives.
// The file appears under its name when it is complete.
Result<RecordResult> RecordTopic(TopicAccess& access, const RecordOptions& options);

std::string RecordJson(const RecordOptions& options, const RecordResult& result);

}  // namespace lethe
