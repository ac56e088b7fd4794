#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/run/shard_worker.h"
#include "connectors/kafka/consumer.h"
#include "connectors/kafka/producer.h"
#include "engine/ports/clock.h"
#include "metrics/pipeline_metrics.h"
#include "metrics/published_state.h"

namespace lethe {

// What RunWorkers needs besides the consumer. Borrowed: everything outlives the call.
struct WorkerThreads {
  const Config& config;
  const std::string& brokers;
  Clock& clock;
  PublishedState& published;
  PipelineMetrics& metrics;
  const KafkaProducer* producer;  // may be null
  std::atomic<bool>& stopping;    // set when the workers are to end
  const std::vector<std::unique_ptr<ShardWorker>>& workers;
};

// Runs each worker in a thread of its own until the process is interrupted or one worker fails, and
// measures them every second. Returns when all threads have ended: ok after an interrupt, otherwise
// the first error. After an error the process is unhealthy, and no worker may run again.
Status RunWorkers(const WorkerThreads& context, KafkaConsumer& consumer);

}  // namespace lethe
