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

// Compactions take out of rows what the present scrub says; nothing, unless a Rewrite is under way.
// Thread-safe.
class ScrubbingFactory final : public rocksdb::CompactionFilterFactory {
 public:
  const char* Name() const override { return "lethe.scrub"; }
  std::unique_ptr<rocksdb::CompactionFilter> CreateCompactionFilter(
      const rocksdb::CompactionFilter::Context& context) override;
  void Set(std::shared_ptr<const Store::Scrub> scrub) {
    const std::lock_guard lock(mutex_);
    scrub_ = std::move(scrub);
  }

 private:
  std::mutex mutex_;
  std::shared_ptr<const Store::Scrub> scrub_;
};

rocksdb::DBOptions DatabaseOptions(rocksdb::Env* env, LogEnd log_end);
// The families of a store in their order.
std::vector<rocksdb::ColumnFamilyDescriptor> Descriptors(
    const std::shared_ptr<ScrubbingFactory>& scrubbing);

}  // namespace lethe
