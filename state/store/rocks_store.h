#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "state/store/disk_guard.h"
#include "state/store/store.h"

namespace rocksdb {
class ColumnFamilyHandle;
}  // namespace rocksdb

namespace lethe {

// How the log of a database may end: in a commit that is torn, which then never happened, or only
// with a whole one.
enum class LogEnd : std::uint8_t { kMayBeTorn, kMustBeWhole };

// Rows in RocksDB; those of payloads in files beside it, because they are large. Thread-safe for
// readers beside one writer.
class RocksStore final : public Store {
 public:
  static constexpr int kMaxOpenFiles = 64;  // of RocksDB, however large the state is

  // Creates the folder when it is not there. kDisk: it cannot be used; kInput: what is in it is
  // damaged, and was not loaded.
  static Result<std::unique_ptr<RocksStore>> Open(const std::string& folder,
                                                  const DiskFailure& failure = LeaveOnDiskFailure,
                                                  LogEnd log_end = LogEnd::kMayBeTorn);
  // Reads a database that another process may be writing to, and changes nothing. The store shows
  // the state as of one commit. Rows of payloads that the owner erases later cannot be read.
  // kUnavailable: the owner rewrote the files during every one of many tries.
  static Result<std::unique_ptr<RocksStore>> OpenForReading(const std::string& folder,
                                                            LogEnd log_end = LogEnd::kMayBeTorn);
  ~RocksStore() override;
  // Fewer files than kMaxOpenFiles, where many databases share a limit. At least 20.
  Status LimitOpenFiles(int files);

  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override;
  Status Scan(Family family, std::string_view first, const Visitor& visit) const override;
  std::optional<std::string> LastKey(Family family) const override;
  Status Write(const WriteBatch& batch, bool sync) override;
  // Rounded up to whole MiB, since the number is published.
  std::int64_t Bytes(Family family) const override;

  Status Rewrite(const std::vector<KeyRange>& ranges, const Scrub& scrub) override;

  // Compares every checksum; kInput if one is wrong. Rows of payloads that the owner has moved
  // since the store was opened for reading are verified where they are now.
  Status Verify() const;
  // Writes out what only the log holds, so that the next start is quick. For a clean stop.
  Status Flush();

 private:
  struct Impl;
  explicit RocksStore(std::unique_ptr<Impl> impl);
  static Result<std::unique_ptr<RocksStore>> TryToOpenForReading(const std::string& folder,
                                                                 LogEnd log_end);
  Status VerifyDatabase() const;
  Status Compact(rocksdb::ColumnFamilyHandle* family, std::string_view first_key,
                 std::string_view last_key);
  std::vector<KeyRange> JoinInFiles(std::vector<KeyRange> ranges) const;

  std::unique_ptr<Impl> impl_;
};

}  // namespace lethe
