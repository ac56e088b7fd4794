#include "app/run/file_budget.h"

#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <string>

#include "state/store/rocks_store.h"

namespace lethe {
namespace {

constexpr std::int64_t kMostConnections = 320;
constexpr std::int64_t kLeastConnections = 32;
constexpr std::int64_t kShareOfConnections = 8;  // HTTP gets one eighth of the limit
constexpr std::int64_t kQueued = 32;             // accepted by civetweb, and not served yet
// Four clients of librdkafka, each with a socket and a pipe (two descriptors) for each of 12
// brokers and for the bootstrap address.
constexpr std::int64_t kKafka = 160;
constexpr std::int64_t kOthers = 32;  // standard streams, locks, files that are read at the start

// The files of a shard beside the tables that RocksDB keeps open: its folder once for each column
// family, log, lock, manifest and messages; the commit watermark; payload files that are written,
// read and blanked; the files of a compaction.
constexpr std::int64_t kShardOthers = 28;
// RocksDB keeps ten of max_open_files for itself, and accepts no number below twenty.
constexpr std::int64_t kReserved = 10;
constexpr std::int64_t kLeastTables = 10;

}  // namespace

FileBudget FileBudget::OfThisProcess() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return FileBudget(1024);
  if (files.rlim_cur < files.rlim_max) {
    rlimit raised = files;
    raised.rlim_cur = files.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &raised) == 0) files = raised;
  }
  constexpr rlim_t kMost = std::numeric_limits<std::int32_t>::max();
  return FileBudget(static_cast<std::int64_t>(std::min(files.rlim_cur, kMost)));
}

int FileBudget::http_connections() const {
  return static_cast<int>(
      std::clamp(limit_ / kShareOfConnections, kLeastConnections, kMostConnections));
}

Result<int> FileBudget::DatabaseFiles(std::int64_t shards) const {
  const std::int64_t shared = http_connections() + kQueued + kKafka + kOthers;
  const std::int64_t tables = (limit_ - shared) / std::max<std::int64_t>(shards, 1) - kShardOthers;
  if (limit_ > shared && tables >= kLeastTables) {
    return static_cast<int>(std::min<std::int64_t>(tables + kReserved, RocksStore::kMaxOpenFiles));
  }
  const std::int64_t needed =
      kMostConnections + kQueued + kKafka + kOthers + shards * (kShardOthers + kLeastTables);
  return Status(ErrorCode::kConfig,
                std::to_string(shards) + " partitions may need " + std::to_string(needed) +
                    " open files, and this process may open " + std::to_string(limit_) +
                    ": raise the limit (LimitNOFILE= of the systemd unit, ulimit -Hn), or read "
                    "fewer partitions here (source.kafka.partitions)");
}

}  // namespace lethe
