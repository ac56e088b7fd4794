#pragma once

#include "connectors/kafka/producer.h"

struct rd_kafka_s;

namespace lethe::kafka {

// Queues a copy of the message with librdkafka; returns its error code, 0 if it was taken.
// `opaque` comes back with the delivery report.
int Produce(rd_kafka_s* kafka, const OutMessage& message, void* opaque);

}  // namespace lethe::kafka
