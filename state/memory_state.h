#pragma once

#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/ports/state.h"

namespace lethe {

// A shard's state that lives as long as the process: what a replay needs. Nothing is durable, so
// Commit always succeeds, and receipts are kept by whoever receives them from the sink.
class MemoryState final : public State {
 public:
  std::optional<LearnedEvent> FindId(const KeyHash& id) const override;
  std::vector<LearnedEvent> FindSubject(const KeyHash& subject) const override;
  std::optional<Refusal> FindRefusal(const KeyHash& hash) const override;

  void AddEvent(const LearnedEvent& event) override;
  void RemoveEvent(const LearnedEvent& event) override;
  void Refuse(const KeyHash& hash, const Refusal& refusal) override;
  void ExpireRefusals(TimeMs now) override;
  void Append(ChainKind, std::string_view) override {}
  Status Commit(bool) override { return Status::Ok(); }

  std::size_t events() const { return by_id_.size(); }
  std::size_t refusals() const { return refusals_.size(); }

 private:
  std::unordered_map<KeyHash, LearnedEvent> by_id_;
  std::unordered_map<KeyHash, std::set<std::pair<EventIndex, KeyHash>>> by_subject_;
  std::unordered_map<KeyHash, Refusal> refusals_;
  std::set<std::pair<TimeMs, KeyHash>> expiries_;
};

}  // namespace lethe
