#pragma once

#include "connectors/message_batch.h"
#include "engine/base/status.h"

namespace lethe {

// Where a shard loop gets its messages: a Kafka partition, a recording, or memory.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  // Replaces the contents of the batch with the next messages. False is the end of the stream. A
  // live source that finds nothing for a while returns true with an empty batch. An error means
  // that the stream cannot be read on; a single bad message is an item with a rejection. One caller
  // at a time.
  virtual Result<bool> Read(MessageBatch& batch) = 0;

  // Gives messages that do not say their offset the one that follows from the order of the stream.
  // Call it once for each batch, in the order of reading, after MessageBatch::Admit and before the
  // items are taken. Messages from the first one that is out of order on are dropped; the error
  // comes out of the next call.
  virtual Status Locate(MessageBatch& /*batch*/) { return Status::Ok(); }

  // About how many messages there are in all; 0 if nobody knows. For one thread that calls Locate.
  virtual std::int64_t ExpectedMessages() const { return 0; }

  // Whether another message can be read without waiting.
  virtual bool HasMore() const { return false; }
  // Live sources: every message before this offset was read. Offsets may have gaps, so this can be
  // beyond the last message.
  virtual Offset Reached() const { return {}; }
};

}  // namespace lethe
