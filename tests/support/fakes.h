#pragma once

#include <string>
#include <vector>

#include "engine/ports/probe.h"
#include "engine/ports/sink.h"
#include "state/memory_state.h"
#include "tests/support/record_feeder.h"

// Fakes of the engine's ports. They record their calls, and fail when a test wants it. Not
// thread-safe.
namespace lethe::testing {

struct Published {
  ShardId shard;
  ChainKind kind;
  std::string bytes;
};

class RecordingSink final : public Sink {
 public:
  Status Publish(ShardId shard, ChainKind kind, std::string_view bytes) override {
    if (fails_at == published.size()) return {ErrorCode::kUnavailable, "the sink is gone"};
    published.push_back({shard, kind, std::string(bytes)});
    return Status::Ok();
  }

  std::vector<Published> published;
  std::size_t fails_at = SIZE_MAX;
};

// Commit steps that count commits, and refuse them while `is_undelivered` is set.
class RecordingHooks final : public CommitSteps {
 public:
  Status DeliverOutgoing() override {
    ++asked;
    if (is_undelivered) return {ErrorCode::kUnavailable, "a dead letter is still on its way"};
    return Status::Ok();
  }
  Status Release(bool has_news) override {
    commits.push_back(has_news);
    return Status::Ok();
  }

  bool is_undelivered = false;
  std::size_t asked = 0;
  std::vector<bool> commits;  // for each commit, whether it had news
};

// The real in-memory state, with a log of calls and a disk that can fill up.
class FaultyState final : public State {
 public:
  std::optional<LearnedEvent> FindId(const KeyHash& id) const override { return real_.FindId(id); }
  std::vector<LearnedEvent> FindSubject(const KeyHash& subject) const override {
    return real_.FindSubject(subject);
  }
  std::optional<Refusal> FindRefusal(const KeyHash& hash) const override {
    return real_.FindRefusal(hash);
  }
  void AddEvent(const LearnedEvent& event) override { real_.AddEvent(event); }
  void RemoveEvent(const LearnedEvent& event) override { real_.RemoveEvent(event); }
  void DropBefore(EventIndex index) override { real_.DropBefore(index); }
  void Refuse(const KeyHash& hash, const Refusal& refusal) override { real_.Refuse(hash, refusal); }
  void ExpireRefusals(TimeMs now) override { real_.ExpireRefusals(now); }
  void Append(ChainKind, std::string_view bytes) override { appended.emplace_back(bytes); }
  Status Commit(bool) override {
    if (commits == fails_at_commit) return {ErrorCode::kDisk, "no space left on the disk"};
    ++commits;
    committed_entries = appended.size();
    return Status::Ok();
  }

  std::size_t events() const { return real_.events(); }
  std::size_t refusals() const { return real_.refusals(); }

  std::vector<std::string> appended;
  std::size_t committed_entries = 0;
  std::size_t commits = 0;
  std::size_t fails_at_commit = SIZE_MAX;

 private:
  MemoryState real_;
};

// A probe that counts its calls.
class CountingProbe final : public Probe {
 public:
  void OnLearn(ShardId, const LearnedStep&) override { ++learned; }
  void OnRejected(ShardId, Offset, const Rejection& why) override {
    rejected.push_back(why.reason);
  }
  void OnEffective(ShardId, std::span<const Target>, const Forgetting& forgetting) override {
    shifts.push_back(forgetting.shift);
    sigmas.push_back(forgetting.sigma);
  }

  void OnStage(ShardId, ErasureStage stage, std::int64_t seconds) override {
    (stage == ErasureStage::kErased ? erased : effective).push_back(seconds);
  }

  int learned = 0;
  std::vector<std::int64_t> effective;  // seconds
  std::vector<std::int64_t> erased;     // seconds
  std::vector<Reason> rejected;
  std::vector<double> shifts;
  std::vector<double> sigmas;
};

}  // namespace lethe::testing
