#pragma once

#include <string_view>

#include "engine/base/status.h"
#include "engine/ports/event.h"

namespace lethe {

enum class ChainKind { kReceipt, kNotice };

// The destination of receipts and notices. A shard calls it from its own thread, so a sink that
// several shards share must be thread-safe. The shard borrows it.
class Sink {
 public:
  virtual ~Sink() = default;
  // Publishes one chain entry, exactly these bytes. Entries of one shard come in chain order, and
  // each is durable in the state before. After an error the shard's run ends; the entry may or may
  // not have arrived.
  virtual Status Publish(ShardId shard, ChainKind kind, std::string_view bytes) = 0;
};

}  // namespace lethe
