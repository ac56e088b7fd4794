#include "state/durable_state.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/base/archive.h"
#include "state/format/keys.h"

namespace lethe {
namespace {

constexpr char kCommitsKey[] = "c";
constexpr char kNoteTag = 'n';
constexpr std::int64_t kAhead = 16;  // how many events ahead the table is prefetched

std::string IndexKey(std::int64_t index) { return NumberKey(static_cast<std::uint64_t>(index)); }

std::string NoteKey(const std::string& name) { return kNoteTag + name; }

}  // namespace

DurableState::DurableState(Store& store, CommitWatermarkFile* watermark)
    : store_(store),
      watermark_(watermark),
      writer_(store, watermark),
      payloads_(store, [this] { return WaitForWrites(); }),
      eraser_(store,
              [this](const std::set<std::int64_t>& indices) {
                std::vector<Store::KeyRange> ranges = events_.RangesOf(indices);
                const std::vector<Store::KeyRange> payloads = payloads_.RangesOf(indices);
                ranges.insert(ranges.end(), payloads.begin(), payloads.end());
                return ranges;
              }),
      refusals_(store, [this] { return WaitForWrites(); }) {}

Result<std::unique_ptr<DurableState>> DurableState::Open(Store& store,
                                                         CommitWatermarkFile* watermark) {
  auto state = std::unique_ptr<DurableState>(new DurableState(store, watermark));
  LETHE_RETURN_IF_ERROR(state->Load());
  return state;
}

Result<std::uint64_t> DurableState::CommitsIn(const Store& store) {
  const auto commits = store.Get(Family::kMeta, kCommitsKey);
  if (!commits.ok()) return commits.status();
  return commits.value() ? KeyNumber(*commits.value()) : 0;
}

Status DurableState::CheckEvents(const Store& store) {
  BlockLog<EventBlock> events(Family::kEvents, kEventsPerBlock);
  return events.Load(store, [](const EventBlock&) { return Status::Ok(); });
}

Result<std::unique_ptr<DurableState>> DurableState::OpenParts(Store& store) {
  auto state = std::unique_ptr<DurableState>(new DurableState(store, nullptr));
  LETHE_RETURN_IF_ERROR(state->parts_.Load(store));
  return state;
}

Status DurableState::Load() {
  const auto commits = CommitsIn(store_);
  if (!commits.ok()) return commits.status();
  commits_ = commits.value();
  if (watermark_ != nullptr) LETHE_RETURN_IF_ERROR(watermark_->mark().Check(commits_));
  LETHE_RETURN_IF_ERROR(parts_.Load(store_));
  LETHE_RETURN_IF_ERROR(LoadEvents());
  LETHE_RETURN_IF_ERROR(
      payloads_.Load([this](std::int64_t index) { return deleted_.count(index) > 0; }));
  for (const std::int64_t index : deleted_) payloads_.Remove({index});
  LETHE_RETURN_IF_ERROR(refusals_.Load(batch_));
  return store_.Scan(Family::kChain, "", [&](std::string_view, std::string_view) {
    durable_entries_ = ++chain_entries_;
    return true;
  });
}

// Events in `deleted` are left out of the index, and wiped from the block in memory. The eraser
// gets them again: their bytes may still be on disk.
Status DurableState::LoadEvents() {
  LETHE_RETURN_IF_ERROR(store_.Scan(Family::kDeleted, "", [&](std::string_view key, auto) {
    deleted_.insert(static_cast<std::int64_t>(KeyNumber(key)));
    return true;
  }));
  if (const auto last = store_.LastKey(Family::kEvents)) {
    table_.Reserve(static_cast<std::int64_t>(KeyNumber(*last)) + kEventsPerBlock);
  }
  LETHE_RETURN_IF_ERROR(events_.Load(store_, [this](const EventBlock& rows) {
    if (table_.size() == 0) table_.DropBefore({rows.first()});
    for (std::int64_t index = rows.first(); index < rows.end(); ++index) {
      if (index + kAhead < rows.end()) {
        const LearnedEvent next = rows.At(index + kAhead);
        table_.Prefetch(next.id, next.subject);
      }
      const LearnedEvent event = rows.At(index);
      if (EventBlock::IsBlank(event) || deleted_.count(index) > 0) continue;
      table_.Add({index}, event.id, event.subject);
    }
    return Status::Ok();
  }));
  for (const std::int64_t index : deleted_) events_.Blank(index);
  eraser_.Add({deleted_.begin(), deleted_.end()});
  // The process may have ended between the commit that dropped these rows and their erasure.
  if (const std::int64_t first = events_.dropped(); first > 0) {
    const std::int64_t from = std::max<std::int64_t>(0, first - 4 * (events_.first() - first + 1));
    eraser_.AddRanges({{Family::kEvents, IndexKey(from), IndexKey(first - 1)},
                       {Family::kPayloads, IndexKey(from), IndexKey(first - 1)}});
  }
  return Status::Ok();
}

std::optional<LearnedEvent> DurableState::ReadEvent(EventIndex index) const {
  if (const Status written = WaitForWrites(); !written.ok()) {
    NoteFailure(written);
    return std::nullopt;
  }
  auto event = events_.Read(store_, index.value);
  if (event.ok()) return std::move(event).value();
  NoteFailure(event.status());
  return std::nullopt;
}

void DurableState::NoteFailure(const Status& status) const {
  if (failure_.ok()) failure_ = status;
}

std::optional<LearnedEvent> DurableState::FindId(const KeyHash& id) const {
  if (!table_.MayHave(id)) return std::nullopt;
  for (const EventIndex index : table_.OfId(id)) {
    auto event = ReadEvent(index);
    if (event && event->id == id) return event;
  }
  return std::nullopt;
}

std::vector<LearnedEvent> DurableState::FindSubject(const KeyHash& subject) const {
  std::vector<LearnedEvent> found;
  for (const EventIndex index : table_.OfSubject(subject)) {
    const auto event = ReadEvent(index);
    if (event && event->subject == subject) found.push_back(*event);
  }
  std::reverse(found.begin(), found.end());
  return found;
}

void DurableState::AddEvent(const LearnedEvent& event) {
  table_.Add(event.index, event.id, event.subject);
  events_.Append(event.index.value, event);
}

void DurableState::RemoveEvent(const LearnedEvent& event) {
  table_.Remove(event.index, event.id, event.subject);
  events_.Blank(event.index.value);
  MarkDeleted(event.index.value);
}

void DurableState::MarkDeleted(std::int64_t index) {
  deleted_.insert(index);
  to_erase_.push_back(index);
  batch_.Put(Family::kDeleted, IndexKey(index), {});
}

// Full blocks of dropped events are deleted as a range. A block that also has later events stays;
// the dropped entries in it are blanked, like those of deleted events.
void DurableState::DropBefore(EventIndex index) {
  std::vector<LearnedEvent> next;  // their table entries are on the way into the cache
  for (std::int64_t i = table_.first().value; i < index.value;) {
    next.clear();
    for (const std::int64_t end = std::min(index.value, i + kAhead); i < end; ++i) {
      if (!table_.Has({i})) continue;
      const auto event = ReadEvent({i});
      if (!event) return;  // failure_ has the error
      table_.Prefetch(event->id, event->subject);
      next.push_back(*event);
    }
    for (const LearnedEvent& event : next) table_.Remove(event.index, event.id, event.subject);
  }
  table_.DropBefore(index);
  const std::int64_t before = events_.dropped();
  events_.DropBefore(index.value);
  payloads_.DropBefore(index);
  const std::int64_t kept = std::min(events_.dropped(), payloads_.first_stored());
  if (before < index.value) {
    ranges_to_erase_.push_back({Family::kEvents, IndexKey(before), IndexKey(index.value - 1)});
    ranges_to_erase_.push_back({Family::kPayloads, IndexKey(before), IndexKey(index.value - 1)});
  }
  for (std::int64_t i = kept; i < index.value; ++i) {
    events_.Blank(i);
    payloads_.Remove({i});
    if (deleted_.count(i) == 0) MarkDeleted(i);
  }
}

std::optional<Refusal> DurableState::FindRefusal(const KeyHash& hash) const {
  const auto refusal = refusals_.Find(hash);
  if (refusal.ok()) return refusal.value();
  NoteFailure(refusal.status());
  return std::nullopt;
}

void DurableState::Refuse(const KeyHash& hash, const Refusal& refusal) {
  NoteFailure(refusals_.Set(hash, refusal, batch_));
}

void DurableState::ExpireRefusals(TimeMs now) { NoteFailure(refusals_.Expire(now, batch_)); }

void DurableState::Append(ChainKind kind, std::string_view bytes) {
  std::string value(1, kind == ChainKind::kReceipt ? 'r' : 'n');
  value += bytes;
  batch_.Put(Family::kChain, NumberKey(chain_entries_++), std::move(value));
}

// Collects the changes of all members into one batch. Events that the eraser has finished leave
// `deleted` with this commit. New deletions go to the eraser after the commit, since bytes must not
// be erased before the deletion is recorded. This relies on the shard, which syncs every commit
// that has a deletion.
Status DurableState::Commit(bool sync) {
  LETHE_RETURN_IF_ERROR(failure_);
  LETHE_RETURN_IF_ERROR(payloads_.failure());
  for (const std::int64_t index : eraser_.TakeErased()) {
    deleted_.erase(index);
    batch_.Delete(Family::kDeleted, NumberKey(static_cast<std::uint64_t>(index)));
  }
  parts_.AddTo(batch_);
  events_.AddTo(batch_);
  payloads_.AddTo(batch_);
  ++commits_;
  batch_.Put(Family::kMeta, kCommitsKey, NumberKey(commits_));
  LETHE_RETURN_IF_ERROR(writer_.Write(batch_, commits_, sync));
  refusals_.OnCommitted();
  eraser_.Add(to_erase_);
  to_erase_.clear();
  eraser_.AddRanges(std::exchange(ranges_to_erase_, {}));
  if (std::exchange(retires_models_, false)) eraser_.AddModels();
  durable_entries_ = chain_entries_;
  return Status::Ok();
}

Status ReadChain(const Store& store, std::uint64_t first, const ChainVisitor& visit) {
  Status status;
  std::uint64_t number = first;
  LETHE_RETURN_IF_ERROR(
      store.Scan(Family::kChain, NumberKey(first), [&](auto key, std::string_view value) {
        if (KeyNumber(key) != number || value.empty()) {
          status = {ErrorCode::kInput, "the state is damaged: entry " + std::to_string(number) +
                                           " of the chain is missing"};
        } else {
          status = visit(number++, value[0] == 'r' ? ChainKind::kReceipt : ChainKind::kNotice,
                         value.substr(1));
        }
        return status.ok();
      }));
  return status;
}

Result<std::optional<std::string>> DurableState::Note(const std::string& name) const {
  return store_.Get(Family::kMeta, NoteKey(name));
}

void DurableState::SetNote(const std::string& name, std::string text) {
  batch_.Put(Family::kMeta, NoteKey(name), std::move(text));
}

}  // namespace lethe
