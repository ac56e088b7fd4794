#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.h"
#include "app/topics/access.h"
#include "app/topics/deletion.h"
#include "engine/base/status.h"

namespace lethe {

// Waits for the receipts of deletions, in the receipts topic. Make it before the deletion is sent,
// so that a quick receipt is not missed.
class ReceiptFollower {
 public:
  static Result<ReceiptFollower> Start(const Config& config, TopicAccess& access);

  struct Found {
    std::string bytes;
    std::string outcome;
    std::string statement;
    std::int64_t shard = 0;
  };
  // One receipt for each place; where one says that the request was passed on to another shard,
  // that shard's too. kUnavailable, with what is still missing, when the time is over; `found` has
  // what came until then.
  Status Await(const std::vector<DeletionPlace>& places, const std::string& request,
               std::chrono::milliseconds patience, bool show_progress, std::vector<Found>& found);

 private:
  ReceiptFollower(TopicAccess& access, std::string topic)
      : access_(&access), topic_(std::move(topic)) {}

  Status Poll(const std::string& request, std::vector<Found>& found);
  void Take(const std::string& bytes, const std::string& request, std::vector<Found>& found);
  bool IsComplete() const { return places_.empty() && passed_on_.empty(); }

  TopicAccess* access_;
  std::string topic_;
  std::map<std::int32_t, Offset> next_;                     // by partition of the receipts topic
  std::set<std::pair<std::int64_t, std::int64_t>> places_;  // shard, offset: still to come
  std::set<std::int64_t> passed_on_;                        // shards: the same
  std::set<std::int64_t> early_;  // shards that answered before we knew that they were asked
};

}  // namespace lethe
