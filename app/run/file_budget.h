#pragma once

#include <cstdint>

#include "engine/base/status.h"

namespace lethe {

// How many files a process may have open, and who may have how many of them. Without a budget,
// RocksDB would meet the limit in the middle of a commit, and the process would end.
class FileBudget {
 public:
  // Raises the limit of this process to the largest that it may set for itself.
  static FileBudget OfThisProcess();

  explicit FileBudget(std::int64_t limit) : limit_(limit) {}

  std::int64_t limit() const { return limit_; }
  // HTTP connections at once; all of them may be idle.
  int http_connections() const;
  // RocksDB's max_open_files for each of so many shards. kConfig: they do not fit, and the message
  // says what to do.
  Result<int> DatabaseFiles(std::int64_t shards) const;

 private:
  const std::int64_t limit_;
};

}  // namespace lethe
