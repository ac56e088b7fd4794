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
  std::optional<std::string> receipts_topic;  // for the arrival of records from the future
  RecordedForm form = RecordedForm::kJson;
  std::optional<std::int64_t> from;       // the first offset, in every recorded partition
  std::optional<std::int64_t> to;         // the offset after the last one
  std::optional<std::int32_t> partition;  // none: all
  bool show_progress = false;
};

struct RecordResult {
  std::int64_t records = 0;  // written
  std::map<std::int32_t, std::int64_t> by_partition;
  std::int32_t partitions = 0;         // of the topic
  std::int64_t bad = 0;                // written records that a run and its replay reject
  std::int64_t not_kept = 0;           // records that the form cannot hold
  std::int64_t not_kept_requests = 0;  // deletes among not_kept
  std::int64_t not_kept_good = 0;      // records among not_kept that a run would not reject
};

// Writes a topic, or a part of it, as a recorded stream, up to the end that it has now. Partitions
// are written one after another, since each is a shard of its own. A replay of the file gives the
// results of a live run. The file gets its name when it is complete; after an error there is none.
Result<RecordResult> RecordTopic(TopicAccess& access, const RecordOptions& options);

std::string RecordJson(const RecordOptions& options, const RecordResult& result);

}  // namespace lethe
