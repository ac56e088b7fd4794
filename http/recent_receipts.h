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

// A bounded cache of the newest erasure requests, each with its receipt and notices as exact bytes.
// When it holds more than `max_bytes`, the oldest requests are dropped from it; they stay in the
// state. Thread-safe. An entry must be committed before it is added. Requests are immutable and
// shared, so a caller may keep one for as long as it likes. It cannot fail: an unreadable entry is
// ignored.
class RecentReceipts {
 public:
  static constexpr std::size_t kMaxBytes = std::size_t{16} << 20;
  // How many entries from the end of a chain are added when a shard starts.
  static constexpr std::uint64_t kMaxEntries = 16'384;

  // The offset of a record, and its time if it had one.
  struct Point {
    std::int64_t offset = 0;
    std::optional<std::int64_t> time_ms;
  };

  struct Request {
    std::string uuid;
    ShardId shard;
    Point received;
    std::int64_t events = 0;

    // The receipt and the members that are read from it. Empty while the request is pending.
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

  // Adds an entry of a receipt chain: a receipt, or a notice about a request. Ignores an entry that
  // is already held, is about the chain itself, or cannot be read.
  void Add(ShardId shard, ChainKind kind, std::string_view bytes);

  // At most `limit` requests, the one received last first. With `before`, only requests older than
  // it; empty if `before` is not held any more.
  std::vector<Shared> Newest(std::size_t limit, const Shared& before = nullptr) const;
  // The request with this UUID, or null if it is not held.
  Shared Find(const std::string& uuid) const;
  std::size_t size() const;

 private:
  // The key of the order: the time a request was received, then the order of adding. Time comes
  // first because at a start the shards are added one after the other.
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

// Whether the text is a UUID as Lethe writes them: 8-4-4-4-12 hexadecimal digits in lower case.
bool IsUuid(std::string_view text);

}  // namespace lethe
