#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "connectors/kafka/admin.h"
#include "connectors/kafka/settings.h"
#include "engine/status.h"

namespace lethe {

// The largest batch of records that a topic takes, from its settings. None: they do not say it.
std::optional<std::int64_t> MaxMessageBytes(const KafkaAdmin::TopicConfig& config);

// The settings of a producer to topics that take so many bytes each. The limits of librdkafka are
// not those of a broker: it refuses records that the broker takes, and puts into one batch more
// than a topic of small records takes, which then refuses all of them. What the user has set stays.
KafkaSettings FitToLimits(KafkaSettings settings, const std::vector<std::int64_t>& limits);

// The same, after asking for the limits. A topic whose settings this user may not read counts for
// nothing. kUnavailable when no broker answers in time.
Status FitToTopics(const KafkaSettings& settings, const std::vector<std::string>& topics,
                   std::chrono::milliseconds timeout, KafkaSettings& fitted);

}  // namespace lethe
