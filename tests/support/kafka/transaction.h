#pragma once

#include <chrono>
#include <vector>

#include "connectors/kafka/producer.h"
#include "connectors/kafka/settings.h"
#include "engine/base/status.h"

namespace lethe {

enum class TransactionEnd { kCommit, kAbort };

// Sends all messages in one transaction, in order, and commits or aborts it. Each message names its
// partition. Returns when readers can see the end of the transaction.
Status SendTransaction(const KafkaSettings& settings, const std::vector<OutMessage>& messages,
                       TransactionEnd end, std::chrono::milliseconds timeout);

}  // namespace lethe
