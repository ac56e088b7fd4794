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

// Milliseconds until the deadline, at least 0, in librdkafka's type.
int TimeLeft(Deadline deadline);

// Calls `visit`, in the calling thread, with every committed record of the partition whose offset
// is in [first, next), in order; offsets may have gaps. `next` must not be above the last stable
// offset. `visit` returns false to stop, and may move the deadline. kUnavailable after the
// deadline, kInput when `first` is not in the log any more.
//
// The handle must have the ReaderProperties (conf.h) and be used by one thread at a time.
Status ReadMessages(Handle& handle, rd_kafka_topic_s* topic, std::int32_t partition, Offset first,
                    Offset next, const Deadline& deadline,
                    const std::function<bool(const rd_kafka_message_s&)>& visit);

// Copies a message out of librdkafka's buffer, with its headers.
FoundMessage CopyMessage(const rd_kafka_message_s& message);

}  // namespace lethe::kafka
