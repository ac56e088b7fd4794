#include "metrics/published_state.h"

namespace lethe {

PipelineInfo PublishedState::info() const {
  const std::lock_guard lock(mutex_);
  return info_;
}

void PublishedState::SetInfo(PipelineInfo info) {
  const std::lock_guard lock(mutex_);
  info_ = std::move(info);
}

void PublishedState::Show(ShardReport report) {
  auto shown = std::make_shared<const ShardReport>(std::move(report));
  const std::lock_guard lock(mutex_);
  // A swap, so that the previous report, with its weights, is destroyed after the mutex is
  // released.
  reports_[shown->shard].swap(shown);
}

std::vector<std::shared_ptr<const ShardReport>> PublishedState::reports() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const ShardReport>> all;
  all.reserve(reports_.size());
  for (const auto& [shard, report] : reports_) all.push_back(report);
  return all;
}

void PublishedState::SetNotReady(const std::string& key, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  not_ready_[key] = reason;
}

void PublishedState::SetReady(const std::string& key) {
  const std::lock_guard lock(mutex_);
  not_ready_.erase(key);
}

void PublishedState::SetUnhealthy(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  if (!unhealthy_) unhealthy_ = reason;
}

void PublishedState::SetStopping() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
}

void PublishedState::AddTrouble(Trouble trouble) {
  constexpr std::size_t kMaxTroubles = 10;
  const std::lock_guard lock(mutex_);
  troubles_.push_front(std::move(trouble));
  if (troubles_.size() > kMaxTroubles) troubles_.pop_back();
}

std::vector<PublishedState::Trouble> PublishedState::troubles() const {
  const std::lock_guard lock(mutex_);
  return {troubles_.begin(), troubles_.end()};
}

std::vector<std::string> PublishedState::not_ready() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> reasons;
  if (stopping_) reasons.emplace_back("stopping");
  if (unhealthy_) reasons.push_back(*unhealthy_);
  for (const auto& [key, reason] : not_ready_) reasons.push_back(reason);
  return reasons;
}

std::optional<std::string> PublishedState::unhealthy() const {
  const std::lock_guard lock(mutex_);
  return unhealthy_;
}

}  // namespace lethe
