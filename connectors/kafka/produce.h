#pragma once

#include "connectors/kafka/producer.h"

struct rd_kafka_s;

namespace lethe::kafka {

// Queues a copy of the message with librdkafka. Returns 0, or librdkafka's error code if the
// message was not accepted. `opaque` is handed to the delivery report, which comes only for an
// accepted message. Thread-safe.
int Produce(rd_kafka_s* kafka, const OutMessage& message, void* opaque);

}  // namespace lethe::kafka
