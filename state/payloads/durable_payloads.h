#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string_view>

#include "engine/ports/payloads.h"
#include "state/format/payload_codec.h"
#include "state/payloads/memory_payloads.h"
#include "state/store/block_log.h"

namespace lethe {

// Payloads that survive the process: in the store, and read from there for computing; in memory are
// four bytes of each, and what is not in a block of the store yet. Who visits them again and again,
// with nothing added meanwhile, gets a copy in memory, if it is not too large. A removed one is
// never visited again, and is missing in everything written later; the eraser takes it out of rows
// that were written before.
class DurablePayloads final : public Payloads {
 public:
  // `settle` makes sure that what AddTo has added is in the store.
  DurablePayloads(const Store& store, std::function<Status()> settle)
      : store_(store), settle_(std::move(settle)) {}

  void Add(EventIndex index, const Example& example) override;
  void Remove(EventIndex index) override;
  void DropBefore(EventIndex index) override;
  void ForEach(const Visitor& visit) const override;
  void ForEachBlock(const BlockVisitor& visit) const override;
  // Takes them into memory, and keeps them there.
  void PinInMemory() override;
  std::int64_t count() const override { return count_; }
  std::int64_t bytes() const override { return bytes_; }

  // `is_removed` tells which indices must not come back.
  Status Load(const std::function<bool(std::int64_t)>& is_removed);
  std::vector<Store::KeyRange> RangesOf(const std::set<std::int64_t>& indices) const {
    return log_.RangesOf(indices);
  }
  bool ends_a_block() const { return next_ % kBlock == 0; }
  // What was added since the last AddTo, in bytes, each at what the model makes of it: how large a
  // single payload is must not decide when there is a commit.
  std::int64_t waiting_bytes() const { return waiting_bytes_; }
  // Adds what has changed since the last call.
  void AddTo(WriteBatch& batch);

  // Not all could be visited: nothing may be made of what was.
  const Status& failure() const { return failure_; }

 private:
  static constexpr std::int64_t kBlock = 256;
  static constexpr std::int64_t kMostCopied = std::int64_t{512} << 20;  // as bytes() counts
  using EntryVisitor = std::function<Status(EventIndex index, std::string_view entry)>;

  // The first index that bytes_of_ knows.
  std::int64_t known_from() const { return next_ - static_cast<std::int64_t>(bytes_of_.size()); }
  // 0 for one that is not retained.
  std::uint32_t BytesOf(std::int64_t index) const {
    const std::int64_t at = index - known_from();
    return at < 0 || index >= next_ ? 0 : bytes_of_[static_cast<std::size_t>(at)];
  }
  void Keep(std::int64_t index, std::uint32_t bytes);
  void Forget(std::uint32_t& bytes);
  // From the store into memory.
  void CopyTo(MemoryPayloads& memory) const;
  void LetCopyGo();
  // The retained ones, as they are stored.
  void VisitEntries(const EntryVisitor& visit) const;
  Status TryToVisit(const EntryVisitor& visit) const;

  const Store& store_;
  const std::function<Status()> settle_;
  PayloadCodec codec_;
  BlockLog<ByteBlock> log_{Family::kPayloads, kBlock};
  std::deque<std::uint32_t> bytes_of_;  // of the last ones, up to the one before next_
  std::int64_t count_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t waiting_bytes_ = 0;
  std::int64_t next_ = 0;   // behind the last one
  std::int64_t first_ = 0;  // those before it were dropped
  std::int64_t stored_first_ = 0;
  std::optional<MemoryPayloads> still_;  // of PinInMemory
  mutable std::optional<MemoryPayloads> copy_;
  mutable bool was_visited_ = false;  // since the last one was added
  mutable Status failure_;
};

}  // namespace lethe
