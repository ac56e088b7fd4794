#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/base/types.h"
#include "engine/ports/sink.h"

namespace lethe {

// The newest requests of this process, each with its receipt and notices as exact bytes. Whoever
// adds an entry has committed it before. Bounded by the bytes it holds: the oldest requests leave
// the recent_receipts (never the state). Thread-safe.
class RecentReceipts {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
  // How much of the end of a chain fills the recent_receipts at a start.
  static constexpr std::uint64_t kMaxEntries = 16'384;

  // Where a record stood, and its time if it had one.
  struct Point {
    std::int64_t offset = 0;
    std::optional<std::int64_t> time_ms;
  };

  struct Request {
    std::string uuid;
    ShardId shard;
    Point received;
    std::int64_t events = 0;

    // From the receipt; empty while the request waits.
    std::string receipt;
    std::optional<std::string> name;  // the caller's reference
    std::string outcome;
    bool is_update = false;
    std::optional<Point> effective;
    std::int64_t model_version = 0;
    bool certified = false;
    std::optional<double> sigma, mu, epsilon, delta, advantage;

    std::optional<Point> erased;
    std::vector<std::string> notices;
  };
  using Shared = std::shared_ptr<const Request>;

  explicit RecentReceipts(std::size_t max_bytes = kMaxBytes) : max_bytes_(max_bytes) {}

  // An entry of a chain. One that is there already, that is about the chain itself, or that cannot
  // be read, is passed over.
  void Add(ShardId shard, ChainKind kind, std::string_view bytes);

  // At most `limit`, the one received last first; only older ones than `before`, if that is given.
  std::vector<Shared> Newest(std::size_t limit, const Shared& before = nullptr) const;
  // Null when it is not here.
  Shared Find(const std::string& uuid) const;
  std::size_t size() const;

 private:
  // By time, then by arrival: shards are added one after the other at a start.
  using Place = std::pair<std::int64_t, std::uint64_t>;

  void Put(std::shared_ptr<Request> request);
  void DropOldest();

  const std::size_t max_bytes_;
  mutable std::mutex mutex_;
  std::map<Place, Shared> by_time_;
  std::unordered_map<std::string, Place> places_;
  std::size_t bytes_ = 0;
  std::uint64_t arrivals_ = 0;
};

// Whether this is how a UUID is written here: 8-4-4-4-12 hexadecimal digits in lower case.
bool IsUuid(std::string_view text);

}  // namespace lethe
