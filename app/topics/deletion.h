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

// What is to be forgotten: a subject, or an id, or an id of a subject.
struct DeletionOrder {
  std::optional<std::string> subject;
  std::optional<std::string> id;
  std::string request;                    // the reference that receipts will carry
  std::optional<std::int32_t> partition;  // none: where the key belongs, or everywhere
};

// Where a deletion stands in the topic.
struct DeletionPlace {
  std::int32_t partition = 0;
  Offset offset;
};

// Produces the deletion to the topic of the configuration. With a subject it goes where that key
// belongs. An id alone says nothing about who learned it: it goes to every partition, marked as
// placed, so that no shard passes it on. Ok means that all brokers concerned have it.
Result<std::vector<DeletionPlace>> SendDeletion(const Config& config, TopicAccess& access,
                                                const DeletionOrder& order);

}  // namespace lethe
