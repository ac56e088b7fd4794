#include "engine/shard/erasures.h"

namespace lethe {

void Erasures::Clear() {
  all_.clear();
  started_ = 0;
  longest_.reset();
  saved_ = saved_started_ = kWithShard;
}

// All stopwatches that run advance together, so the one that has waited longest stays the same.
bool Erasures::HasWaited(const ClockReading& now, std::int64_t limit_ms) {
  const auto elapsed = [&](std::size_t i) { return all_[i].waited.ElapsedMs(now); };
  for (; started_ < all_.size(); ++started_) {
    const std::int64_t ms = elapsed(started_);
    if (!longest_ || ms > elapsed(*longest_)) longest_ = started_;
  }
  return longest_ && elapsed(*longest_) >= limit_ms;
}

// What was saved before its stopwatch was started is written again when it runs.
bool Erasures::Save(State& state) {
  const bool has_others = all_.size() > kWithShard;
  if (!has_others) {
    if (is_stored_) state.Put(Part::kErasures, {});
    is_stored_ = false;
    return false;
  }
  if (saved_started_ < std::min(saved_, started_)) saved_ = kWithShard;
  SavingArchive archive;
  for (std::size_t i = saved_; i < all_.size(); ++i) {
    archive(all_[i], all_[i].received, all_[i].waited.began());
  }
  if (saved_ == kWithShard) {
    state.Put(Part::kErasures, archive.Take());
  } else if (saved_ < all_.size()) {
    state.Extend(Part::kErasures, archive.Take());
  }
  is_stored_ = true;
  saved_ = all_.size();
  saved_started_ = std::clamp(started_, kWithShard, saved_);
  return true;
}

Status Erasures::Load(const State& state) {
  const std::string saved = state.Get(Part::kErasures).value_or("");
  LoadingArchive archive(saved);
  while (!archive.at_end()) {
    Erasure erasure;
    TimeMs began = kNoTime;
    archive(erasure, erasure.received, began);
    erasure.waited = Stopwatch(began);
    all_.push_back(std::move(erasure));
  }
  is_stored_ = !saved.empty();
  if (archive.complete() && (!is_stored_ || all_.size() > kWithShard)) return Status::Ok();
  return {ErrorCode::kInput, "the stored erasures cannot be read"};
}

std::vector<std::pair<TimeMs, TimeMs>> Erasures::FirstTimes() const {
  std::vector<std::pair<TimeMs, TimeMs>> times;
  for (std::size_t i = 0; i < first(); ++i) {
    times.emplace_back(all_[i].received, all_[i].waited.began());
  }
  return times;
}

bool Erasures::SetFirstTimes(const std::vector<std::pair<TimeMs, TimeMs>>& times) {
  if (times.size() != all_.size()) return false;
  for (std::size_t i = 0; i < times.size(); ++i) {
    all_[i].received = times[i].first;
    all_[i].waited = Stopwatch(times[i].second);
  }
  return true;
}

}  // namespace lethe
