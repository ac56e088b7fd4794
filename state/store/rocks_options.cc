#include "state/store/rocks_options.h"

#include <rocksdb/table.h>

#include <string>

#include "state/store/rocks_terms.h"

namespace lethe {
namespace {

constexpr std::size_t kFile = std::size_t{16} << 20;  // an erasure rewrites whole files
constexpr std::size_t kEventMemtable = std::size_t{8} << 20;
constexpr std::size_t kSmallMemtable = std::size_t{4} << 20;
constexpr std::size_t kArenaBlock = std::size_t{512} << 10;  // small enough to be reused
constexpr std::uint64_t kMaxLog = std::uint64_t{16} << 20;
constexpr std::uint64_t kSyncEvery = std::uint64_t{1} << 20;

// Changes values during a compaction. It never drops a row: Filter always returns false.
class ScrubbingFilter final : public rocksdb::CompactionFilter {
 public:
  explicit ScrubbingFilter(std::shared_ptr<const Store::Scrub> scrub) : scrub_(std::move(scrub)) {}
  const char* Name() const override { return "lethe.scrub"; }
  bool Filter(int, const rocksdb::Slice&, const rocksdb::Slice& value, std::string* changed_value,
              bool* is_changed) const override {
    if (!scrub_) return false;
    if (auto changed = (*scrub_)(View(value))) {
      *changed_value = *std::move(changed);
      *is_changed = true;
    }
    return false;
  }

 private:
  const std::shared_ptr<const Store::Scrub> scrub_;
};

rocksdb::ColumnFamilyOptions FamilyOptions(Family family,
                                           const std::shared_ptr<ScrubbingFactory>& scrubbing) {
  rocksdb::ColumnFamilyOptions options;
  // The rows of kPayloads are locations of blobs. PayloadStore scrubs the payloads themselves.
  if (family == Family::kEvents) options.compaction_filter_factory = scrubbing;
  options.compression = rocksdb::kNoCompression;
  options.write_buffer_size = family == Family::kEvents ? kEventMemtable : kSmallMemtable;
  options.target_file_size_base = kFile;
  options.arena_block_size = kArenaBlock;
  rocksdb::BlockBasedTableOptions table;
  table.checksum = rocksdb::kXXH3;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

std::string FamilyName(Family family) {
  return family == Family::kMeta ? rocksdb::kDefaultColumnFamilyName : Name(family);
}

}  // namespace

std::unique_ptr<rocksdb::CompactionFilter> ScrubbingFactory::CreateCompactionFilter(
    const rocksdb::CompactionFilter::Context& /*context*/) {
  const std::lock_guard lock(mutex_);
  return std::make_unique<ScrubbingFilter>(scrub_);
}

rocksdb::DBOptions DatabaseOptions(rocksdb::Env* env, LogEnd log_end) {
  rocksdb::DBOptions options;
  options.env = env;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.allow_concurrent_memtable_write = false;
  options.max_total_wal_size = kMaxLog;
  options.wal_bytes_per_sync = kSyncEvery;
  options.bytes_per_sync = kSyncEvery;
  options.max_background_jobs = 2;
  options.max_open_files = RocksStore::kMaxOpenFiles;
  options.keep_log_file_num = 2;
  options.info_log_level = rocksdb::WARN_LEVEL;
  // With kMayBeTorn, recovery ends at the first torn record, and DurableState compares the number
  // of commits with the watermark. Without a watermark nobody could tell, so every record must be
  // whole.
  options.wal_recovery_mode = log_end == LogEnd::kMayBeTorn
                                  ? rocksdb::WALRecoveryMode::kPointInTimeRecovery
                                  : rocksdb::WALRecoveryMode::kAbsoluteConsistency;
  return options;
}

std::vector<rocksdb::ColumnFamilyDescriptor> Descriptors(
    const std::shared_ptr<ScrubbingFactory>& scrubbing) {
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (std::size_t i = 0; i < kFamilies; ++i) {
    const auto family = static_cast<Family>(i);
    descriptors.emplace_back(FamilyName(family), FamilyOptions(family, scrubbing));
  }
  return descriptors;
}

}  // namespace lethe
