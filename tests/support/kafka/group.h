#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "connectors/kafka/settings.h"
#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// The offset that a group has committed for a partition, as a lag monitor sees it.
Result<std::optional<Offset>> CommittedOffset(const KafkaSettings& settings,
                                              const std::string& group, const std::string& topic,
                                              std::int32_t partition,
                                              std::chrono::milliseconds timeout);

}  // namespace lethe
