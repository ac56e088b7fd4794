#pragma once

#include <deque>
#include <vector>

#include "engine/ports/state.h"
#include "state/index/event_table.h"
#include "state/index/refuse_list.h"

namespace lethe {

// The engine's port State in memory, for replays. Nothing is durable: Commit always succeeds, and
// receipts and notices go to the sink only. Not thread-safe. It owns its memory. No call fails.
class MemoryState final : public State {
 public:
  std::optional<LearnedEvent> FindId(const KeyHash& id) const override;
  std::vector<LearnedEvent> FindSubject(const KeyHash& subject) const override;
  std::optional<Refusal> FindRefusal(const KeyHash& hash) const override {
    return refusals_.Find(hash);
  }
  bool has_refusals() const override { return refusals_.size() > 0; }
  void Prefetch(const KeyHash& id, const std::optional<KeyHash>& subject) const override {
    table_.Prefetch(id, subject);
  }

  void AddEvent(const LearnedEvent& event) override;
  void RemoveEvent(const LearnedEvent& event) override;
  void DropBefore(EventIndex index) override;
  void Refuse(const KeyHash& hash, const Refusal& refusal) override {
    refusals_.Set(hash, refusal);
  }
  void ExpireRefusals(TimeMs now) override {
    refusals_.Expire(now, [](const KeyHash&) {});
  }
  void Append(ChainKind, std::string_view) override {}
  Status Commit(bool) override { return Status::Ok(); }

  std::size_t events() const { return static_cast<std::size_t>(table_.size()); }
  std::size_t refusals() const { return refusals_.size(); }

 private:
  LearnedEvent& At(EventIndex index) {
    return events_[static_cast<std::size_t>(index.value - table_.first().value)];
  }
  const LearnedEvent& At(EventIndex index) const {
    return const_cast<MemoryState*>(this)->At(index);
  }

  EventTable table_;
  std::deque<LearnedEvent> events_;  // from table_.first() on; a removed event is blank
  RefuseList refusals_;
};

}  // namespace lethe
