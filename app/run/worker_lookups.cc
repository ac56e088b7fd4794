// What a worker keeps of requests and records that concern other shards.

#include <cstdlib>

#include "app/run/shard_worker.h"

namespace lethe {
namespace {

constexpr char kOpenNote[] = "lookups";  // the offset of the oldest request without all answers
constexpr char kAnywhereNote[] = "anywhere";  // learned what no known partitioner explains

}  // namespace

// What was open when the last commit was made is looked up again.
Status ShardWorker::ResumeLookups() {
  read_ = shard_.next();
  const auto anywhere = folder_->state().Note(kAnywhereNote);
  if (!anywhere.ok()) return anywhere.status();
  is_anywhere_ = anywhere.value().has_value();
  if (is_anywhere_) context_.router.SetAnywhere();
  const auto open = folder_->state().Note(kOpenNote);
  if (!open.ok()) return open.status();
  open_note_ = open.value().value_or("");
  if (open_note_.empty()) return Status::Ok();
  const auto from = lookups_.Resume({std::atoll(open_note_.c_str())});
  if (!from.ok()) return from.status();
  read_ = from.value();
  return Status::Ok();
}

void ShardWorker::NoteOpenLookups() {
  const auto open = lookups_.first_open();
  std::string note = open ? std::to_string(open->value) : "";
  if (note == open_note_) return;
  open_note_ = std::move(note);
  folder_->state().SetNote(kOpenNote, open_note_);
}

// Counts a record that is not where its key belongs.
void ShardWorker::NotePlacement(const Record& record, std::optional<std::string_view> key,
                                const Admitted* admitted) {
  if (record.is_placed) return;
  const Router::Placement placement = context_.router.PlacementOf(id(), key);
  if (placement != Router::Placement::kRight) metrics_.AddMisrouted();
  if (is_anywhere_ || admitted == nullptr || admitted->rejection || context_.router.is_alone()) {
    return;
  }
  const bool has_subject_only = !key && admitted->subject.has_value();
  if (placement != Router::Placement::kUnexplained && !has_subject_only) return;
  is_anywhere_ = true;
  context_.router.SetAnywhere();
  folder_->state().SetNote(kAnywhereNote, "1");
}

}  // namespace lethe
