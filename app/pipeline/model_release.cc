#include "app/pipeline/model_release.h"

#include "engine/base/check.h"

namespace lethe {
namespace {

constexpr std::int64_t kShowEveryNs = 100'000'000;
// Longer where each release costs a synced commit and a mark that a broker has to acknowledge.
constexpr std::int64_t kShowSyncedEveryNs = 1'000'000'000;

}  // namespace

bool ModelRelease::IsTimeToShow(std::int64_t now_ns) const {
  const bool is_synced = shard_.draws_while_learning() || shard_.waiting() > 0;
  const std::int64_t pause = is_synced ? kShowSyncedEveryNs : kShowEveryNs;
  return shown_ns_ == 0 || now_ns - shown_ns_ >= pause;
}

// Only a model whose commit is written leaves the process: a start after a crash must never be
// behind a model that was released, since the number of its version would come a second time.
Status ModelRelease::Prepare() {
  LETHE_RETURN_IF_ERROR(port_.WaitForWrites());
  const ModelVersion version = shard_.model_version();
  if (!shard_.draws_while_learning() || version == marked_version_) return Status::Ok();
  LETHE_CHECK(version == shard_.synced_version());
  LETHE_RETURN_IF_ERROR(port_.Mark(version));
  marked_version_ = version;
  return Status::Ok();
}

// Old snapshots go first, whether or not a model is released now. A model that a power cut could
// undo is not released at all; NeedsSync asks for a synced commit, and that commit releases it.
Status ModelRelease::AfterCommit(bool has_news, const std::optional<EventIndex>& first_forgotten,
                                 std::int64_t now_ns) {
  is_shown_ = false;
  if (first_forgotten) LETHE_RETURN_IF_ERROR(port_.DestroySnapshotsWith(*first_forgotten));
  if (CanBeUndone()) return Status::Ok();
  const bool is_urgent = has_news || is_ending_;
  const bool shows = is_urgent || IsTimeToShow(now_ns);
  const bool adds_snapshot = SnapshotNumber() != snapshot_number_;
  const bool sends_model =
      pace_.has_models_topic && shard_.model_version() != sent_version_ &&
      (has_news || model_ns_ == 0 || now_ns - model_ns_ >= pace_.models_every_ns);
  if (shows || adds_snapshot || sends_model) LETHE_RETURN_IF_ERROR(Prepare());
  if (adds_snapshot) {
    snapshot_number_ = SnapshotNumber();
    LETHE_RETURN_IF_ERROR(port_.AddSnapshot());
  }
  if (shows) Show(now_ns);
  if (sends_model) LETHE_RETURN_IF_ERROR(SendModel(now_ns));
  return SendCleanFrom();
}

Status ModelRelease::ShowLater(std::int64_t now_ns) {
  if (is_shown_ || CanBeUndone() || !IsTimeToShow(now_ns)) return Status::Ok();
  LETHE_RETURN_IF_ERROR(Prepare());
  Show(now_ns);
  return Status::Ok();
}

void ModelRelease::Show(std::int64_t now_ns) {
  port_.Show();
  shown_ns_ = now_ns;
  is_shown_ = true;
}

Status ModelRelease::SendModel(std::int64_t now_ns) {
  model_ns_ = now_ns;
  sent_version_ = shard_.model_version();
  return port_.SendModel();
}

// Sends the notice when it has changed, and once after each start, because the previous process may
// have died between the commit and the notice. Receipts are published after this returns, so their
// readers find the models topic up to date.
Status ModelRelease::SendCleanFrom() {
  if (!pace_.has_models_topic || shard_.clean_from() == sent_clean_from_) return Status::Ok();
  sent_clean_from_ = shard_.clean_from();
  LETHE_RETURN_IF_ERROR(port_.SendCleanFrom());
  return port_.WaitForModels();
}

}  // namespace lethe
