#pragma once

#include <cstdint>
#include <optional>

#include "engine/base/status.h"
#include "engine/shard/shard.h"

namespace lethe {

// The port to the places outside of the process where a shard's model goes: HTTP, the models topic
// and snapshots. Called by the shard's own thread. After an error nothing more may be released.
class ReleasePort {
 public:
  virtual ~ReleasePort() = default;

  // Waits until every commit so far is written by the operating system.
  virtual Status WaitForWrites() = 0;
  // Writes to a topic that this version of the model is released from now on. Ok means that a
  // broker has the mark. A later start compares its state with the mark.
  virtual Status Mark(ModelVersion version) = 0;
  // Removes the snapshots that have learned this event or a later one.
  virtual Status DestroySnapshotsWith(EventIndex first) = 0;
  // Writes the current model as a snapshot.
  virtual Status AddSnapshot() = 0;
  // Shows the shard's report, with its model, over HTTP.
  virtual void Show() = 0;
  // Both hand a message for the models topic to the producer: the current model, and the notice
  // from which version on models are clean.
  virtual Status SendModel() = 0;
  virtual Status SendCleanFrom() = 0;
  // Ok when a broker has everything that was sent to the models topic.
  virtual Status WaitForModels() = 0;
};

// The release of a shard's models: which ones leave the process after a commit, when, and in which
// order. Snapshots that knew a deleted event are destroyed, then the new model is shown, then it
// goes to the models topic. If an event was forgotten, the release waits until the models topic has
// the model and the clean-from notice. CommitProtocol publishes the receipts after that.
//
// A power cut could undo a version, and its number would come again with another model: by other
// draws in a mode that draws at random while it learns, or by a waiting request that the clock
// serves at another moment. Then a notice that models are clean from that version on would be wrong
// for the first of the two. In these cases a model is released only after a synced commit, at most
// once a second. A version with draws is marked in a topic before it is released.
//
// Borrows the shard and the port. Not thread-safe. After an error nothing more may be released.
class ModelRelease {
 public:
  struct Pace {
    std::int64_t models_every_ns = 0;  // between two models in the models topic, without news
    std::int64_t snapshot_every = 1;   // in learned events
    bool has_models_topic = false;
  };

  ModelRelease(const Shard& shard, ReleasePort& port, const Pace& pace)
      : shard_(shard), port_(port), pace_(pace) {}

  // To be called after the shard has resumed. From now on a snapshot is made whenever the number of
  // learned events passes a multiple of snapshot_every.
  void Begin() { snapshot_number_ = SnapshotNumber(); }
  // To be called before the last commit: its model is shown even if the pause is not over.
  void End() { is_ending_ = true; }

  // Whether a model that a power cut could undo is to be released now: then a commit is due, and
  // must be synced.
  bool NeedsSync(std::int64_t now_ns) const {
    return CanBeUndone() && (is_ending_ || IsTimeToShow(now_ns));
  }

  // Releases the model of the commit that was just written. `has_news`: the commit has receipts or
  // notices, so the model is released at once. `first_forgotten`: the oldest event that a deletion
  // in this commit has forgotten.
  Status AfterCommit(bool has_news, const std::optional<EventIndex>& first_forgotten,
                     std::int64_t now_ns);
  // To be called between two commits, while nothing is uncommitted. Shows the model of the last
  // commit if AfterCommit came too early for it.
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
  // Makes sure that a model may leave the process: its commit is written, and its mark is sent if
  // it needs one.
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
  bool is_shown_ = false;      // whether the model of the last commit is shown
  std::int64_t model_ns_ = 0;
  ModelVersion sent_version_{-1};
  ModelVersion sent_clean_from_{0};  // 0: no event was forgotten yet
};

}  // namespace lethe
