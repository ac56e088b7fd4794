#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "connectors/kafka/admin.h"
#include "connectors/kafka/settings.h"
#include "engine/base/status.h"
#include "engine/spec/spec.h"

namespace lethe {

// The largest batch of records that a topic takes, from its settings. None: they do not say it.
std::optional<std::int64_t> MaxMessageBytes(const KafkaAdmin::TopicConfig& config);

// The settings of a producer to topics that take so many bytes each. The limits of librdkafka are
// not those of a broker: it refuses records that the broker takes, and puts into one batch more
// than a topic of small records takes, which then refuses all of them. What the user has set stays.
KafkaSettings FitToLimits(KafkaSettings settings, const std::vector<std::int64_t>& limits);

// The limits of topics by name. A topic whose settings this user may not read is left out.
// kUnavailable when no broker answers in time.
Result<std::map<std::string, std::int64_t>> AskForLimits(const KafkaSettings& settings,
                                                         const std::vector<std::string>& topics,
                                                         std::chrono::milliseconds timeout);

// The bytes that a record with a model takes at most, whatever its weights are. Whether models are
// published goes by this number and never by the length of one of them: that length depends on
// every event that was learned, and a count or a log line would tell it for ever.
std::int64_t MostModelBytes(const ModelSpec& model);
// The bytes that a producer with these settings can send to a topic with this limit, if it is
// known.
std::int64_t MostSentBytes(const KafkaSettings& settings, std::optional<std::int64_t> limit);

}  // namespace lethe
