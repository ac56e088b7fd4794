#pragma once

#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "state/store/memory_store.h"
#include "tests/simulation/defects.h"
#include "tests/simulation/dice.h"

namespace lethe::simulation {

// The simulated disk of one shard, with a cache. A power cut loses commits that were not synced,
// the last ones first. A commit that was not synced may still be on its way when Write returns, as
// with CommitWriter: then the death of the process loses it too. Overwritten bytes stay in the log
// until a Rewrite. Not thread-safe.
class Disk final : public Store {
 public:
  // `point` is called around every effect, and may throw: the process dies there. `on_commit` is
  // called before a commit is written.
  struct Hooks {
    std::function<void()> point;
    std::function<void()> on_commit;
  };
  // kRefuse: the commit is not written. kFail: it is written, and an error is returned.
  enum class Fault { kNone, kRefuse, kFail };

  explicit Disk(Defect defect) : defect_(defect) {}
  void SetHooks(Hooks hooks) { hooks_ = std::move(hooks); }

  void FailNextCommit(Fault fault) { commit_fault_ = fault; }
  void FailNextErasure() { erasure_fails_ = true; }
  void Repair() {
    commit_fault_ = Fault::kNone;
    erasure_fails_ = false;
  }

  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override {
    return cache_.Get(family, key);
  }
  Status Scan(Family family, std::string_view first, const Visitor& visit) const override {
    return cache_.Scan(family, first, visit);
  }

  Status Write(const WriteBatch& batch, bool sync) override {
    hooks_.point();
    hooks_.on_commit();
    const Fault fault = std::exchange(commit_fault_, Fault::kNone);
    if (fault == Fault::kRefuse) return {ErrorCode::kDisk, "planned: the commit was refused"};
    if (fault == Fault::kFail) sync = false;
    Log(batch);
    const WriteBatch kept = Kept(batch);
    LETHE_RETURN_IF_ERROR(cache_.Write(kept, sync));
    WaitForWrites();
    unsynced_.push_back(kept);
    if (sync) Sync();
    is_on_its_way_ = !sync;
    if (fault == Fault::kFail) return {ErrorCode::kDisk, "planned: the commit failed"};
    hooks_.point();
    return Status::Ok();
  }

  Status Rewrite(const std::vector<KeyRange>& ranges, const Scrub& scrub) override {
    hooks_.point();
    if (std::exchange(erasure_fails_, false)) {
      return {ErrorCode::kDisk, "planned: the erasure failed"};
    }
    WaitForWrites();
    Sync();
    LETHE_RETURN_IF_ERROR(cache_.Rewrite(ranges, scrub));
    LETHE_RETURN_IF_ERROR(synced_.Rewrite(ranges, scrub));
    log_.clear();
    hooks_.point();
    return Status::Ok();
  }

  // From now on every commit so far survives the death of the process.
  void WaitForWrites() { is_on_its_way_ = false; }

  // The process dies. A commit that is on its way is lost by chance.
  void Crash(Dice& dice) {
    if (!is_on_its_way_ || dice.Percent(50)) return WaitForWrites();
    unsynced_.pop_back();
    WaitForWrites();
    cache_ = synced_;
    for (const WriteBatch& batch : unsynced_) (void)cache_.Write(batch, false);
  }
  // The machine loses power. A random number of unsynced commits, the last ones, is lost.
  void CutPower(Dice& dice) {
    WaitForWrites();
    const auto kept =
        static_cast<std::size_t>(dice.Below(static_cast<std::int64_t>(unsynced_.size()) + 1));
    if (defect_ == Defect::kTearsCommit && kept < unsynced_.size()) {
      WriteBatch half;
      const auto& changes = unsynced_[kept].changes();
      for (std::size_t i = 0; i < changes.size() / 2; ++i) {
        half.Put(changes[i].family, changes[i].key, changes[i].value);
      }
      unsynced_[kept] = half;
      unsynced_.resize(kept + 1);
    } else {
      unsynced_.resize(kept);
    }
    Sync();
    cache_ = synced_;
  }

  // A row as it is after a power cut.
  std::optional<std::string> Synced(Family family, std::string_view key) const {
    return synced_.Get(family, key).value();
  }
  // Whether the bytes are in any row, or in the log.
  bool Holds(std::string_view bytes) const {
    for (const std::string& value : log_) {
      if (value.find(bytes) != std::string::npos) return true;
    }
    bool found = false;
    for (const MemoryStore* rows : {&cache_, &synced_}) {
      for (const Family family : {Family::kEvents, Family::kPayloads, Family::kMeta}) {
        (void)rows->Scan(family, "", [&](std::string_view, std::string_view value) {
          found = found || value.find(bytes) != std::string_view::npos;
          return !found;
        });
      }
    }
    return found;
  }

 private:
  void Log(const WriteBatch& batch) {
    for (const WriteBatch::Change& change : batch.changes()) {
      if (change.family == Family::kEvents) log_.push_back(change.value);
    }
  }
  WriteBatch Kept(const WriteBatch& batch) const {
    if (defect_ != Defect::kForgetsOpenNote) return batch;
    WriteBatch kept;
    for (const WriteBatch::Change& change : batch.changes()) {
      if (change.family == Family::kMeta && change.key == "nlookups") continue;
      switch (change.kind) {
        case WriteBatch::Change::Kind::kPut:
          kept.Put(change.family, change.key, change.value);
          break;
        case WriteBatch::Change::Kind::kDelete: kept.Delete(change.family, change.key); break;
        case WriteBatch::Change::Kind::kDeleteRange:
          kept.DeleteRange(change.family, change.key, change.value);
          break;
      }
    }
    return kept;
  }
  void Sync() {
    for (const WriteBatch& batch : unsynced_) (void)synced_.Write(batch, true);
    unsynced_.clear();
  }

  const Defect defect_;
  Hooks hooks_;
  MemoryStore cache_;
  MemoryStore synced_;
  std::vector<WriteBatch> unsynced_;
  bool is_on_its_way_ = false;  // the last of unsynced_
  std::vector<std::string> log_;
  Fault commit_fault_ = Fault::kNone;
  bool erasure_fails_ = false;
};

}  // namespace lethe::simulation
