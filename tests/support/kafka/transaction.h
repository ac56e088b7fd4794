#pragma once

#include <chrono>
#include <vector>

#include "connectors/kafka/producer.h"
#include "connectors/kafka/settings.h"
#include "engine/base/status.h"

namespace lethe {

enum class TransactionEnd { kCommit, kAbort };

// Sends all messages in one transaction, in order, and ends it. They name their
// partitions. Returns when readers can see how it ended.
Status SendTransaction(const KafkaSettings& settings, const std::vector<OutMessage>& messages,
                       TransactionEnd end, std::chrono::milliseconds timeout);

}  // namespace lethe
