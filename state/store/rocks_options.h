#pragma once

#include <rocksdb/compaction_filter.h>
#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "state/store/rocks_store.h"

namespace lethe {

// Makes the compaction filters of RocksDB, which apply the current scrub to the rows that a
// compaction copies. Outside of a Rewrite there is no scrub, and a filter changes nothing.
// Thread-safe. RocksDB and the store share it; each filter shares the scrub it was made with, and
// may so apply it after Set has replaced it.
class ScrubbingFactory final : public rocksdb::CompactionFilterFactory {
 public:
  const char* Name() const override { return "lethe.scrub"; }
  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& context) override;
  // Null: filters made from now on change nothing.
  void Set(std::shared_ptr<const Store::Scrub> scrub) {
    const std::lock_guard lock(mutex_);
    scrub_ = std::move(scrub);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Store::Scrub> scrub_;
};

// The options of a shard's database. `env` is borrowed and must outlive the database.
rocksdb::DBOptions DatabaseOptions(rocksdb::Env* env, LogEnd log_end);
// The column families in the order of Family, so that a handle's position is its Family.
std::vector<rocksdb::ColumnFamilyDescriptor> Descriptors(
    const std::shared_ptr<ScrubbingFactory>& scrubbing);

}  // namespace lethe
