#include "state/summary.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/archive.h"
#include "state/shard_folder.h"
#include "state/store/paged_parts.h"

namespace lethe {
namespace {

// The size of all files in a folder, without holes. Files that vanish meanwhile are left out.
std::int64_t BytesIn(const std::string& folder) {
  std::int64_t bytes = 0;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, ignored)) {
    struct stat file {};
    if (lstat(entry.path().c_str(), &file) != 0 || !S_ISREG(file.st_mode)) continue;
    // Erased payloads leave holes, which take no blocks.
    bytes += std::min<std::int64_t>(file.st_size, file.st_blocks * std::int64_t{512});
  }
  return bytes;
}

Result<std::int64_t> CountRows(const Store& store, Family family) {
  std::int64_t rows = 0;
  LETHE_RETURN_IF_ERROR(store.Scan(family, "", [&](auto, auto) { return ++rows > 0; }));
  return rows;
}

}  // namespace

Result<ShardSummary> SummariseShard(const std::string& path, ShardId shard, const Hasher& hasher,
                                    bool verify) {
  ShardSummary summary;
  summary.shard = shard;
  summary.folder = ShardPath(path, shard);
  const auto identity = ReadIdentity(path, shard, hasher);
  if (!identity.ok()) return identity.status();
  summary.state = identity.value().state;
  // Read before the database is opened: the owner may commit in between, and a database that is
  // ahead of its watermark is in order.
  const auto mark = ReadCommitWatermark(summary.folder + "/high-water");
  if (!mark.ok()) return mark.status();
  const auto store = RocksStore::OpenForReading(
      summary.folder + "/db", verify ? LogEndFor(mark.value()) : LogEnd::kMayBeTorn);
  if (!store.ok()) return WithRemark(store.status(), mark.value(), summary.folder);
  const auto commits = DurableState::CommitsIn(*store.value());
  if (!commits.ok()) return commits.status();
  summary.commits = commits.value();
  if (summary.commits > 0) summary.remark = RemarkOn(mark.value(), summary.folder);
  if (verify) {
    LETHE_RETURN_IF_ERROR(mark.value().Check(summary.commits));
    LETHE_RETURN_IF_ERROR(store.value()->Verify());
    LETHE_RETURN_IF_ERROR(DurableState::CheckEvents(*store.value()));
  }
  PagedParts parts;
  LETHE_RETURN_IF_ERROR(parts.Load(*store.value()));
  if (const auto bytes = parts.Get(Part::kShard)) {
    // The first fields that Shard saves, in the order of Shard::Fields. A change there must be made
    // here too.
    LoadingArchive archive(*bytes);
    std::uint64_t version = 0;
    ModelVersion clean_from;
    TimeMs now;
    TimeMs last_time;
    std::uint64_t receipts = 0;
    archive(version, summary.counters, clean_from, summary.next, now, last_time, receipts,
            summary.chain_head, summary.known_entries);
  }
  if (const auto bytes = parts.Get(Part::kWindow)) {
    LoadingArchive archive(*bytes);
    WindowRecord window;
    archive(window);
    summary.counters.outcomes[static_cast<std::size_t>(Outcome::kNotRetained)] =
        window.not_retained;
  }
  const auto entries = CountRows(*store.value(), Family::kChain);
  if (!entries.ok()) return entries.status();
  summary.chain_entries = static_cast<std::uint64_t>(entries.value());
  const auto unerased = CountRows(*store.value(), Family::kDeleted);
  if (!unerased.ok()) return unerased.status();
  summary.unerased = unerased.value();
  summary.bytes = BytesIn(summary.folder);
  return summary;
}

}  // namespace lethe
