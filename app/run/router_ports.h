#pragma once

#include <atomic>

#include "app/config/config.h"
#include "app/pipeline/router.h"
#include "app/run/publisher.h"
#include "connectors/kafka/cluster.h"

namespace lethe {

// The ports of a router in a daemon: offsets from the cluster, requests through the publisher.
// Everything passed here outlives the router.
RouterPorts LivePorts(const Config& config, KafkaCluster& cluster, Publisher& publisher,
                      const std::atomic<bool>& stopping);

}  // namespace lethe
