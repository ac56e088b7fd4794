#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/ports/state.h"
#include "state/commit_watermark.h"
#include "state/commit_writer.h"
#include "state/eraser.h"
#include "state/index/durable_refusals.h"
#include "state/index/event_table.h"
#include "state/payloads/durable_payloads.h"
#include "state/store/block_log.h"
#include "state/store/paged_parts.h"
#include "state/store/store.h"

namespace lethe {

// Receives an entry of the chain, borrowed for the call. An error ends ReadChain, which returns it.
using ChainVisitor =
    std::function<Status(std::uint64_t number, ChainKind kind, std::string_view bytes)>;
// Visits the entries of the chain in a store from number `first` on. kInput: one is missing.
Status ReadChain(const Store& store, std::uint64_t first, const ChainVisitor& visit);

// The engine's port State on a Store. A commit writes all changes since the last one as one atomic
// batch. Look-ups go through an index in memory; docs/formats/state.md has every byte.
//
// Threads: not thread-safe, except eraser(), which another thread may use. Ownership: borrows the
// store and the watermark file, which must outlive it; nothing else may write to them. Failure: a
// look-up that cannot read the store returns nothing and keeps the error; the next Commit returns
// it. After an error of Commit or Erase the object must not be used, and the process should stop:
// the next start continues from the last commit that is on disk.
class DurableState final : public State {
 public:
  // Loads the state. `watermark` may be null, for a store that cannot lose a commit. kInput: the
  // store is damaged, or has fewer commits than the watermark.
  static Result<std::unique_ptr<DurableState>> Open(Store& store, CommitWatermarkFile* watermark);
  // The number of commits in a store; 0 for a new one.
  static Result<std::uint64_t> CommitsIn(const Store& store);
  // Reads all rows of events. kInput: one is damaged or missing.
  static Status CheckEvents(const Store& store);
  // Loads the engine's own parts only: enough to resume a shard for inspection. Payloads, which the
  // owner of the state may be erasing, are not read. Such a state finds no event, and must not be
  // committed.
  static Result<std::unique_ptr<DurableState>> OpenParts(Store& store);

  std::optional<LearnedEvent> FindId(const KeyHash& id) const override;
  std::vector<LearnedEvent> FindSubject(const KeyHash& subject) const override;
  std::optional<Refusal> FindRefusal(const KeyHash& hash) const override;
  bool has_refusals() const override { return refusals_.size() > 0; }
  void PrefetchRefusal(const KeyHash& hash) const override { refusals_.Prefetch(hash); }
  void Prefetch(const KeyHash& id, const std::optional<KeyHash>& subject) const override {
    table_.Prefetch(id, subject);
  }

  void AddEvent(const LearnedEvent& event) override;
  void RemoveEvent(const LearnedEvent& event) override;
  void DropBefore(EventIndex index) override;
  void Refuse(const KeyHash& hash, const Refusal& refusal) override;
  void ExpireRefusals(TimeMs now) override;
  void Append(ChainKind kind, std::string_view bytes) override;

  void RetireModels() override { retires_models_ = true; }
  bool is_durable() const override { return true; }
  std::optional<std::string> Get(Part part) const override { return parts_.Get(part); }
  void Put(Part part, std::string_view bytes) override { parts_.Put(part, bytes); }
  void Rewrite(Part part, std::string_view bytes) override { parts_.Rewrite(part, bytes); }
  void Extend(Part part, std::string_view bytes) override { parts_.Extend(part, bytes); }
  Status Erase() override {
    LETHE_RETURN_IF_ERROR(WaitForWrites());
    return eraser_.EraseAll();
  }
  // Also returns the error of an earlier look-up or visit of payloads; nothing is written then.
  // With `sync`, the commit is on disk when it returns ok. See CommitInBackground for one without.
  Status Commit(bool sync) override;

  // True when at least 8 MiB of payloads are uncommitted and the last block is full: committing now
  // is as cheap per event as later, and writes no piece of a block that would be written again.
  bool is_full() const {
    return payloads_.waiting_bytes() >= kFullBytes && payloads_.ends_a_block();
  }

  // A hint that so many more events will be learned. The memory it reserves is bounded.
  void Reserve(std::int64_t events) {
    table_.Reserve(table_.size() + std::min(events, kMostExpected));
  }

  // From now on a background thread writes unsynced commits. Such a commit may still be in flight
  // when Commit returns; its error is returned by the next Commit or by WaitForWrites. Call it at
  // most once.
  void CommitInBackground() { writer_.StartThread(); }
  Status WaitForWrites() const { return writer_.WaitForWrites(); }

  // Borrowed. Another thread may call EraseAll, to erase before the shard asks for it. That thread
  // must end before this object is destroyed.
  Eraser& eraser() { return eraser_; }

  // Borrowed; part of this state, and committed with it.
  DurablePayloads& payloads() { return payloads_; }

  // The number of entries of the chain in all commits so far. ReadChain does not wait for a commit
  // in flight: call WaitForWrites before, unless the last commit was synced.
  std::uint64_t chain_entries() const { return durable_entries_; }
  Status ReadChain(std::uint64_t first, const ChainVisitor& visit) const {
    return lethe::ReadChain(store_, first, visit);
  }

  // A small text under a name, for the program that runs the shard. SetNote is durable with the
  // next commit; until that is written, Note returns the old text. None: there is no such note.
  Result<std::optional<std::string>> Note(const std::string& name) const;
  void SetNote(const std::string& name, std::string text);

  std::uint64_t commits() const { return commits_; }
  std::size_t refusals() const { return refusals_.size(); }
  std::size_t refusal_bytes() const { return refusals_.bytes(); }  // memory used

 private:
  // Small, because a look-up reads the whole block of its event.
  static constexpr std::int64_t kEventsPerBlock = 1024;
  static constexpr std::int64_t kMostExpected = 20'000'000;
  static constexpr std::int64_t kFullBytes = std::int64_t{8} << 20;  // at eight bytes a number

  explicit DurableState(Store& store, CommitWatermarkFile* watermark);
  Status Load();
  Status LoadEvents();
  // Records that the bytes of an event, or of its payload, have to be erased.
  void MarkDeleted(std::int64_t index);
  // Keeps the first error, for Commit.
  void NoteFailure(const Status& status) const;
  // Waits for the commit in flight, and reads an event. None: see failure_.
  std::optional<LearnedEvent> ReadEvent(EventIndex index) const;

  Store& store_;
  CommitWatermarkFile* watermark_;
  mutable CommitWriter writer_;
  WriteBatch batch_;  // changes since the last commit that are already encoded
  PagedParts parts_;
  BlockLog<EventBlock> events_{Family::kEvents, kEventsPerBlock};
  EventTable table_;
  DurablePayloads payloads_;
  Eraser eraser_;
  std::set<std::int64_t> deleted_;                // events whose bytes are not erased yet
  std::vector<std::int64_t> to_erase_;            // deletions that the next commit makes durable
  std::vector<Store::KeyRange> ranges_to_erase_;  // rows that the next commit deletes
  bool retires_models_ = false;                   // set by RetireModels, until the next commit
  DurableRefusals refusals_;
  std::uint64_t commits_ = 0;
  std::uint64_t chain_entries_ = 0;    // with those of the next commit
  std::uint64_t durable_entries_ = 0;  // as of the last commit
  mutable Status failure_;
};

}  // namespace lethe
