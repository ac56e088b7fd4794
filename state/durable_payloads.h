#pragma once

#include "engine/ports/payloads.h"
#include "state/block_log.h"
#include "state/memory_payloads.h"
#include "state/payload_codec.h"

namespace lethe {

// Payloads that survive the process: in memory for computing, and in the store for the next start.
// A removed one is blank in everything written later; rows of before are the eraser's.
class DurablePayloads final : public Payloads {
 public:
  void Add(EventIndex index, const Example& example) override;
  void Remove(EventIndex index) override;
  void DropBefore(EventIndex index) override;
  void ForEach(const Visitor& visit) const override { memory_.ForEach(visit); }
  void ForEachBlock(const BlockVisitor& visit) const override { memory_.ForEachBlock(visit); }
  void HoldStill() override { memory_.HoldStill(); }
  std::int64_t count() const override { return memory_.count(); }
  std::int64_t bytes() const override { return memory_.bytes(); }

  // `is_removed` tells which indices must not come back.
  Status Load(const Store& store, const std::function<bool(std::int64_t)>& is_removed);
  std::vector<Store::KeyRange> RangesOf(const std::set<std::int64_t>& indices) const {
    return log_.RangesOf(indices);
  }
  bool ends_a_block() const { return next_ % kBlock == 0; }
  // Adds what has changed since the last call.
  void AddTo(WriteBatch& batch);

 private:
  static constexpr std::int64_t kBlock = 256;

  MemoryPayloads memory_;
  PayloadCodec codec_;
  BlockLog<ByteRows> log_{Family::kPayloads, kBlock};
  std::int64_t next_ = 0;   // behind the last one
  std::int64_t first_ = 0;  // those before it were dropped
  std::int64_t stored_first_ = 0;
};

}  // namespace lethe
