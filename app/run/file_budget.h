#pragma once

#include <cstdint>

#include "engine/base/status.h"

namespace lethe {

// The budget of file descriptors of a process: how many HTTP, Kafka and each shard's database may
// have open. Without a budget, RocksDB would meet the limit in the middle of a commit, and the
// process would end. A value; its functions are pure.
class FileBudget {
 public:
  // Raises the limit of this process to the largest that it may set for itself.
  static FileBudget OfThisProcess();

  explicit FileBudget(std::int64_t limit) : limit_(limit) {}

  std::int64_t limit() const { return limit_; }
  // How many HTTP connections there may be at once, idle ones included.
  int http_connections() const;
  // RocksDB's max_open_files for each of `shards` shards. kConfig if so many do not fit; the
  // message says what to do.
  Result<int> DatabaseFiles(std::int64_t shards) const;

 private:
  const std::int64_t limit_;
};

}  // namespace lethe
