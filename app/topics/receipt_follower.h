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

// A reader of the receipts topic that waits for the receipts of a deletion. It reads from the end
// that the topic has at Start, so it must be started before the deletion is sent. Borrows the
// access. Not thread-safe.
class ReceiptFollower {
 public:
  // kConfig if no receipts topic is configured.
  static Result<ReceiptFollower> Start(const Config& config, TopicAccess& access);

  struct Found {
    std::string bytes;
    std::string outcome;
    std::string statement;
    std::int64_t shard = 0;
  };
  // Waits for one receipt for each place. If a receipt says that its shard has passed the request
  // on, waits for the receipts of those shards too. Adds the receipts to `found` as they come.
  // kUnavailable, naming the shards that are missing, when the time is over. kInterrupted after a
  // signal. The deletion stays in the topic in both cases.
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
  std::set<std::int64_t> passed_on_;                        // shards: still to come
  std::set<std::int64_t> early_;  // shards that answered before we knew that they were asked
};

}  // namespace lethe
