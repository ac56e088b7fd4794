#include "engine/shard/seen_ids.h"

#include <algorithm>
#include <bit>
#include <span>
#include <string>

#include "engine/base/archive.h"

namespace lethe {
namespace {

constexpr std::size_t kBytes = 24;  // of a saved entry

std::string Bytes(std::span<const std::pair<KeyHash, EventIndex>> entries) {
  SavingArchive archive;
  for (const auto& entry : entries) archive(entry);
  return archive.Take();
}

}  // namespace

void SeenIds::Add(const KeyHash& id, EventIndex index) {
  const auto [last, is_new] = last_.try_emplace(id, index);
  if (!is_new && last->second >= index) return;
  last->second = index;
  entries_.emplace_back(id, index);
  AddToFilter(id);
}

void SeenIds::AddToFilter(const KeyHash& id) {
  if (filter_.size() * 64 < last_.size() * kBitsPerId) return MakeFilter();
  filter_[WordOf(id)] |= BitOf(id);
}

// Twice as large as it has to be, so that it is seldom made anew.
void SeenIds::MakeFilter() {
  filter_.clear();
  if (last_.empty()) return;
  filter_.resize(std::bit_ceil(std::max(kFewestWords, 2 * last_.size() * kBitsPerId / 64)));
  for (const auto& seen : last_) filter_[WordOf(seen.first)] |= BitOf(seen.first);
}

void SeenIds::DropBefore(EventIndex anchor) {
  // Earlier entries of an id that came again go too, so that entries_ does not grow for ever.
  const auto is_gone = [&](const Entry& entry) {
    return entry.second < anchor || last_.at(entry.first) != entry.second;
  };
  if (std::erase_if(entries_, is_gone) > 0) is_rewritten_ = true;
  std::erase_if(last_, [&](const auto& last) { return last.second < anchor; });
  MakeFilter();
}

void SeenIds::Save(State& state) {
  if (is_rewritten_) {
    state.Rewrite(Part::kSeenIds, Bytes(entries_));
  } else if (saved_ == 0 && !entries_.empty()) {
    state.Put(Part::kSeenIds, Bytes(entries_));
  } else if (saved_ < entries_.size()) {
    state.Extend(Part::kSeenIds, Bytes(std::span(entries_).subspan(saved_)));
  }
  saved_ = entries_.size();
  is_rewritten_ = false;
}

Status SeenIds::Load(const State& state) {
  const std::string saved = state.Get(Part::kSeenIds).value_or("");
  LoadingArchive archive(saved);
  entries_.resize(saved.size() / kBytes);
  last_.clear();
  for (Entry& entry : entries_) {
    archive(entry);
    last_[entry.first] = entry.second;
  }
  saved_ = entries_.size();
  MakeFilter();
  if (archive.complete()) return Status::Ok();
  return {ErrorCode::kInput, "the stored ids of the window cannot be read"};
}

}  // namespace lethe
