#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "connectors/kafka/found_message.h"
#include "connectors/kafka/handle.h"
#include "engine/base/status.h"

namespace lethe::kafka {

using Deadline = std::chrono::steady_clock::time_point;

// Milliseconds from now, at least 0, as librdkafka wants them.
int TimeLeft(Deadline deadline);

// Calls `visit` with every committed record of the partition whose offset is in [first, next), in
// order; `next` is not above the last stable offset. `visit` may return false to end it. Gaps
// are normal. The handle needs enable.partition.eof, auto.offset.reset=error, and is used by one
// thread at a time. `visit` may move the deadline.
Status ReadMessages(Handle& handle, rd_kafka_topic_s* topic, std::int32_t partition, Offset first,
                    Offset next, const Deadline& deadline,
                    const std::function<bool(const rd_kafka_message_s&)>& visit);

FoundMessage CopyMessage(const rd_kafka_message_s& message);

}  // namespace lethe::kafka
