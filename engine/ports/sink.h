#pragma once

#include <string_view>

#include "engine/base/status.h"
#include "engine/ports/event.h"

namespace lethe {

enum class ChainKind { kReceipt, kNotice };

// Where receipts and notices are published, in chain order, as exact bytes.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual Status Publish(ShardId shard, ChainKind kind, std::string_view bytes) = 0;
};

}  // namespace lethe
