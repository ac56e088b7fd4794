#include "metrics/board.h"

namespace lethe {

void Board::Show(ShardReport report) {
  auto shown = std::make_shared<const ShardReport>(std::move(report));
  const std::lock_guard lock(mutex_);
  reports_[shown->shard] = std::move(shown);
}

std::vector<std::shared_ptr<const ShardReport>> Board::reports() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<const ShardReport>> all;
  for (const auto& [shard, report] : reports_) all.push_back(report);
  return all;
}

}  // namespace lethe
