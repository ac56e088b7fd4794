#pragma once

#include "connectors/message_batch.h"
#include "engine/base/status.h"

namespace lethe {

// The port through which a shard loop reads messages: from a Kafka partition, a recording, or
// memory. One thread calls Read and one thread calls Locate; these may be two threads. A batch
// belongs to its caller, and a source keeps no pointer to it after the call. After an error the
// source stays failed.
class BatchSource {
 public:
  virtual ~BatchSource() = default;

  // Replaces the contents of the batch with the next messages. Returns false at the end of the
  // stream. A live source that finds nothing for a while returns true with an empty batch. An error
  // means that the rest of the stream cannot be read; a single bad message is not an error, but an
  // item with a rejection. One caller at a time.
  virtual Result<bool> Read(MessageBatch& batch) = 0;

  // Assigns an offset to every message that carries none, from the order of the stream. Call it
  // once for each batch, in the order of reading, after MessageBatch::Admit and before the items
  // are taken. If a message is out of order, it and all messages after it are dropped from the
  // batch, and the next call returns the error. If it is the first message of the batch, this call
  // returns the error.
  virtual Status Locate(MessageBatch& /*batch*/) { return Status::Ok(); }

  // An estimate of the number of messages in the whole stream, or 0 if it is unknown. Called by the
  // thread that calls Locate.
  virtual std::int64_t ExpectedMessages() const { return 0; }

  // Whether another message can be read without waiting.
  virtual bool HasMore() const { return false; }
  // Live sources: every message before this offset was read. Offsets may have gaps, so the result
  // can be larger than the offset of the last message plus 1.
  virtual Offset Reached() const { return {}; }
};

}  // namespace lethe
