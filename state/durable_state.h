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

// The entries of the chain in a store, from one on, in order.
using ChainVisitor =
    std::function<Status(std::uint64_t number, ChainKind kind, std::string_view bytes)>;
Status ReadChain(const Store& store, std::uint64_t first, const ChainVisitor& visit);

// A shard's state in a store: all that changed since the last commit becomes durable in one batch.
// Look-ups go through an index in memory. docs/formats/state.md has every byte. Not thread-safe.
class DurableState final : public State {
 public:
  // Loads what the store holds. `watermark` may be null, for stores that cannot lose a commit.
  static Result<std::unique_ptr<DurableState>> Open(Store& store, CommitWatermarkFile* watermark);
  // How many commits a store has.
  static Result<std::uint64_t> CommitsIn(const Store& store);
  // Whether the rows of events in a store can be read and none is missing.
  static Status CheckEvents(const Store& store);
  // Loads the engine's own parts and nothing else: enough to resume a shard that is looked at and
  // never runs. Payloads need not be read for it, which the owner of the state may be erasing.
  static Result<std::unique_ptr<DurableState>> OpenParts(Store& store);

  std::optional<LearnedEvent> FindId(const KeyHash& id) const override;
  std::vector<LearnedEvent> FindSubject(const KeyHash& subject) const override;
  std::optional<Refusal> FindRefusal(const KeyHash& hash) const override;
  bool has_refusals() const override { return refusals_.size() > 0; }
  void Prefetch(const KeyHash& id, const std::optional<KeyHash>& subject) const override {
    table_.Prefetch(id, subject);
  }

  void AddEvent(const LearnedEvent& event) override;
  void RemoveEvent(const LearnedEvent& event) override;
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
  // An error of a look-up before comes out here too: what it has led to is not written.
  Status Commit(bool sync) override;

  // What waits for a commit is so much that more would not make it cheaper, only a deletion wait
  // longer, and ends with a block, which otherwise would be written twice.
  bool is_full() const {
    return payloads_.waiting_bytes() >= kFullBytes && payloads_.ends_a_block();
  }

  // A hint that so many more events may be learned soon. Not all is believed, lest it cost memory.
  void Reserve(std::int64_t events) {
    table_.Reserve(table_.size() + std::min(events, kMostExpected));
  }

  // From now on a commit that is not synced may still be on its way to the store when Commit
  // returns, and its error comes out of the next one or of WaitForWrites.
  void CommitInBackground() { writer_.StartThread(); }
  Status WaitForWrites() const { return writer_.WaitForWrites(); }

  // For a thread of its own, which may erase before the shard asks for it.
  Eraser& eraser() { return eraser_; }

  DurablePayloads& payloads() { return payloads_; }

  // Entries of the chain, counted from 0, that are durable.
  std::uint64_t chain_entries() const { return durable_entries_; }
  Status ReadChain(std::uint64_t first, const ChainVisitor& visit) const {
    return lethe::ReadChain(store_, first, visit);
  }

  // A small text under a name, for whoever runs the shard; durable with the next commit.
  Result<std::optional<std::string>> Note(const std::string& name) const;
  void SetNote(const std::string& name, std::string text);

  std::uint64_t commits() const { return commits_; }
  std::size_t refusals() const { return refusals_.size(); }
  std::size_t refusal_bytes() const { return refusals_.bytes(); }  // in memory

 private:
  // Small, because a deletion reads the whole block of its event.
  static constexpr std::int64_t kEventsPerBlock = 1024;
  static constexpr std::int64_t kMostExpected = 20'000'000;
  static constexpr std::int64_t kFullBytes = std::int64_t{8} << 20;  // in numbers of eight bytes

  explicit DurableState(Store& store, CommitWatermarkFile* watermark);
  Status Load();
  Status LoadEvents();
  void NoteFailure(const Status& status) const;
  // None: not readable, and failure_ says why.
  std::optional<LearnedEvent> ReadEvent(EventIndex index) const;

  Store& store_;
  CommitWatermarkFile* watermark_;
  mutable CommitWriter writer_;
  WriteBatch batch_;
  PagedParts parts_;
  BlockLog<EventBlock> events_{Family::kEvents, kEventsPerBlock};
  EventTable table_;
  DurablePayloads payloads_;
  Eraser eraser_;
  std::set<std::int64_t> deleted_;      // indices that are not erased yet
  std::vector<std::int64_t> to_erase_;  // those of them that the next commit makes durable
  bool retires_models_ = false;         // with the next commit
  DurableRefusals refusals_;
  std::uint64_t commits_ = 0;
  std::uint64_t chain_entries_ = 0;
  std::uint64_t durable_entries_ = 0;
  mutable Status failure_;
};

}  // namespace lethe
