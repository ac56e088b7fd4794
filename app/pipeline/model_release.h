#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/status.h"
#include "engine/shard/shard.h"

namespace lethe {

// The places outside of the process where a shard's model goes. A fake in tests.
class ReleasePort {
 public:
  virtual ~ReleasePort() = default;

  // Everything that was committed is written when this returns.
  virtual Status WaitForWrites() = 0;
  // Writes to a topic that this version of the model is released from now on. A broker has it when
  // this returns ok. A later start compares its state with it.
  virtual Status Mark(ModelVersion version) = 0;
  // Removes the snapshots that have learned this event.
  virtual Status DestroySnapshotsWith(EventIndex first) = 0;
  virtual Status AddSnapshot() = 0;
  // Shows the shard's report, with its model, over HTTP.
  virtual void Show() = 0;
  // Both go to the models topic.
  virtual Status SendModel() = 0;
  virtual Status SendCleanFrom() = 0;
  // Everything that was sent to the models topic has arrived when this returns ok.
  virtual Status WaitForModels() = 0;
};

// Decides what of a shard's model leaves the process after a commit, when, and in which order:
// snapshots that knew a deleted event are destroyed, then the new model is shown, then it goes to
// the models topic and has arrived there. The receipts follow after that; CommitProtocol publishes
// them.
//
// A power cut could undo a version, and its number would come again with another model: by other
// draws in a mode that draws at random while it learns, or by a waiting request that the clock
// serves at another moment. Then a notice that models are clean from that version on would be wrong
// for the first of the two. In these cases a model is released only after a synced commit, at most
// once a second. Versions with draws are marked outside of the state before.
//
// Borrows the shard and the port. Not thread-safe. After an error nothing more may be released.
class ModelRelease {
 public:
  struct Pace {
    std::int64_t models_every_ns = 0;
    std::int64_t snapshot_every = 1;  // steps
    bool has_models_topic = false;
  };

  ModelRelease(const Shard& shard, ReleasePort& port, const Pace& pace)
      : shard_(shard), port_(port), pace_(pace) {}

  // After the shard has resumed: a snapshot is made when a multiple of snapshot_every is passed.
  void Begin() { snapshot_number_ = SnapshotNumber(); }
  // The next commit is the last one: its model is released whatever the time is.
  void End() { is_ending_ = true; }

  // Whether a model that a power cut could undo is to be released now: then a commit is due, and
  // must be synced.
  bool NeedsSync(std::int64_t now_ns) const {
    return CanBeUndone() && (is_ending_ || IsTimeToShow(now_ns));
  }

  // `first_forgotten` is the oldest event that a deletion in this commit has forgotten.
  Status AfterCommit(bool has_news, const std::optional<EventIndex>& first_forgotten,
                     std::int64_t now_ns);
  // Between two commits: shows what the last commit was too early for. Nothing may be uncommitted.
  Status ShowLater(std::int64_t now_ns);

 private:
  std::int64_t SnapshotNumber() const {
    return (shard_.counters().learned + shard_.counters().updates) / pace_.snapshot_every;
  }
  // Whether the version could come again with another model after a crash of the machine.
  bool CanBeUndone() const {
    return shard_.has_unsynced_draws() ||
           (shard_.waiting() > 0 && shard_.model_version() != shard_.synced_version());
  }
  bool IsTimeToShow(std::int64_t now_ns) const;
  // What has to be done before a model leaves the process.
  Status Prepare();
  void Show(std::int64_t now_ns);
  Status SendModel(std::int64_t now_ns);
  Status SendCleanFrom();

  const Shard& shard_;
  ReleasePort& port_;
  const Pace pace_;
  bool is_ending_ = false;
  ModelVersion marked_version_{-1};
  std::int64_t snapshot_number_ = 0;
  std::int64_t shown_ns_ = 0;  // 0: never
  bool is_shown_ = false;      // the last commit was
  std::int64_t model_ns_ = 0;
  ModelVersion sent_version_{-1};
  ModelVersion sent_clean_from_{0};  // 0: no event was forgotten yet
};

}  // namespace lethe
