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

// The largest batch of records that a topic takes (max.message.bytes). None if the settings do not
// have it.
std::optional<std::int64_t> MaxMessageBytes(const KafkaAdmin::TopicConfig& config);

// The settings of a producer to topics with these limits, in bytes. librdkafka's own limits do not
// follow those of the broker: it refuses records that the broker would take, and it puts more into
// one batch than a topic with a small limit takes, which then refuses the whole batch. Properties
// that the user has set are not changed.
KafkaSettings FitToLimits(KafkaSettings settings, const std::vector<std::int64_t>& limits);

// Asks the brokers for the limits of these topics. A topic whose settings this user may not read is
// left out. kUnavailable if no broker answers in time.
Result<std::map<std::string, std::int64_t>> AskForLimits(const KafkaSettings& settings,
                                                         const std::vector<std::string>& topics,
                                                         std::chrono::milliseconds timeout);

// The most bytes that a record with a model can have, whatever its weights are. This number decides
// whether models are published, and never the length of one model: that length depends on every
// learned event, and a count or a log line would reveal it for ever.
std::int64_t MostModelBytes(const Spec& spec);
// The most bytes of a record that a producer with these settings can send to a topic. `limit`: of
// the topic, if it is known.
std::int64_t MostSentBytes(const KafkaSettings& settings, std::optional<std::int64_t> limit);

}  // namespace lethe
