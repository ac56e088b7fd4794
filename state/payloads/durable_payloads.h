#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>

#include "engine/ports/payloads.h"
#include "state/format/payload_codec.h"
#include "state/payloads/memory_payloads.h"
#include "state/store/block_log.h"

namespace lethe {

// The payloads of a durable state. They lie in the store and are read from there; memory has four
// bytes for each, which are its size, and the payloads that are not in a full block of the store
// yet. The second ForEachBlock without an Add in between copies all payloads into memory, up to 512
// MiB, until the next Add. A removed payload is never visited again and is not in any row written
// later; the Eraser removes it from rows that were written before.
//
// Threads: not thread-safe, except RangesOf; const methods change caches. Ownership: borrows the
// store, which must outlive it. Failure: the port's methods cannot return an error, so the first
// error of a visit is kept in failure(). The visitor has then seen only some of the payloads, and
// nothing computed from them may be committed.
class DurablePayloads final : public Payloads {
 public:
  // `settle` waits until the batches that AddTo has filled are in the store. It is called before
  // every visit of the store.
  DurablePayloads(const Store& store, std::function<Status()> settle)
      : store_(store), settle_(std::move(settle)) {}

  void Add(EventIndex index, const Example& example) override;
  void Remove(EventIndex index) override;
  void DropBefore(EventIndex index) override;
  void ForEachIn(EventIndex first, EventIndex end, const Visitor& visit) const override;
  void ForEachBlock(const BlockVisitor& visit) const override;
  // Copies all payloads into memory, without a limit, and keeps them there from now on.
  void PinInMemory() override;
  void KeepInMemory(std::int64_t most_bytes) override;
  std::int64_t count() const override { return count_; }
  std::int64_t bytes() const override { return bytes_; }

  // The first payload whose bytes the store may still have, dropped or not; the largest number if
  // there never was one, as in a mode that keeps none.
  std::int64_t first_stored() const {
    return log_.end() == 0 ? std::numeric_limits<std::int64_t>::max() : log_.dropped();
  }

  // Reads all stored payloads once, to learn their sizes. Call it before any other method.
  // `is_removed` tells which events are deleted, but may not be erased yet. kInput: a payload is
  // damaged.
  Status Load(const std::function<bool(std::int64_t)>& is_removed);
  // The ranges of keys whose rows may have these payloads. Safe from any thread.
  std::vector<Store::KeyRange> RangesOf(const std::set<std::int64_t>& indices) const {
    return log_.RangesOf(indices);
  }
  // Whether the last payload completed a block, so that a commit now writes no piece.
  bool ends_a_block() const { return next_ % kBlock == 0; }
  // The bytes added since the last AddTo, for the decision when to commit. A payload counts eight
  // bytes a number if dense, and a constant if hashed: the time of a commit must not depend on what
  // a single payload says.
  std::int64_t waiting_bytes() const { return waiting_bytes_; }
  // Adds all changes since the last call to the batch, which the caller must then write.
  void AddTo(WriteBatch& batch);

  // The first error of any visit; it never becomes ok again. The owner checks it before a commit.
  const Status& failure() const { return failure_; }

 private:
  static constexpr std::int64_t kBlock = 256;
  static constexpr std::int64_t kMostCopied = std::int64_t{512} << 20;  // in units of bytes()
  using EntryVisitor = std::function<Status(EventIndex index, std::string_view entry)>;

  // The index of the first element of bytes_of_.
  std::int64_t known_from() const { return next_ - static_cast<std::int64_t>(bytes_of_.size()); }
  // The size of a payload; 0 if it is not retained.
  std::uint32_t BytesOf(std::int64_t index) const {
    const std::int64_t at = index - known_from();
    return at < 0 || index >= next_ ? 0 : bytes_of_[static_cast<std::size_t>(at)];
  }
  // Records the next payload; 0 bytes record one that is not retained.
  void Keep(std::int64_t index, std::uint32_t bytes);
  // Records that a payload is no longer retained. `bytes` is its element of bytes_of_.
  void Forget(std::uint32_t& bytes);
  // Adds all retained payloads to `memory`.
  void CopyTo(MemoryPayloads& memory) const;
  // Wipes and frees copy_.
  void LetCopyGo();
  void LetGo(std::optional<MemoryPayloads>& memory);
  // Visits the encoded entries of the retained payloads from `first` on, in order. An error goes to
  // failure_.
  void VisitEntries(EventIndex first, EventIndex end, const EntryVisitor& visit) const;
  Status TryToVisit(EventIndex first, EventIndex end, const EntryVisitor& visit) const;
  // The number of retained payloads from `first` on.
  std::int64_t CountIn(EventIndex first, EventIndex end) const;

  const Store& store_;
  const std::function<Status()> settle_;
  PayloadCodec codec_;
  BlockLog<ByteBlock> log_{Family::kPayloads, kBlock};
  std::deque<std::uint32_t> bytes_of_;  // sizes of the payloads [known_from(), next_)
  std::int64_t count_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t waiting_bytes_ = 0;
  std::int64_t next_ = 0;                       // the index after the last payload
  std::int64_t first_ = 0;                      // payloads before this were dropped
  std::int64_t stored_first_ = 0;               // first_ as of the last AddTo
  std::optional<MemoryPayloads> still_;         // since PinInMemory or KeepInMemory
  std::int64_t most_still_ = 0;                 // still_ goes when bytes_ is larger
  mutable std::optional<MemoryPayloads> copy_;  // of ForEachBlock
  mutable bool was_visited_ = false;            // by ForEachBlock, since the last Add
  mutable Status failure_;
};

}  // namespace lethe
