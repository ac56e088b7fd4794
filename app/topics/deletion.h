#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/topics/access.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// A deletion that a user asks for on the command line: by subject, by id, or by both.
struct DeletionOrder {
  std::optional<std::string> subject;
  std::optional<std::string> id;
  std::string request;                    // the reference that receipts will carry
  std::optional<std::int32_t> partition;  // none: the partition of the key, or all
};

// The position of a delete event in the topic.
struct DeletionPlace {
  std::int32_t partition = 0;
  Offset offset;
};

// Produces the deletion to the source topic of the configuration. With a subject it goes to the
// partition of that key. An id alone does not tell which shard has learned the event, so the
// deletion goes to every partition, with the header that keeps shards from passing it on.
//
// Returns the positions once the brokers have acknowledged all of them. kUsage if Lethe could not
// read the request. After another error some partitions may have it; sending it again is harmless.
Result<std::vector<DeletionPlace>> SendDeletion(const Config& config, TopicAccess& access,
                                                const DeletionOrder& order);

}  // namespace lethe
