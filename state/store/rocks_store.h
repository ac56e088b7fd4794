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

// How strictly the write-ahead log is read when a database is opened. kMayBeTorn: a torn last
// record is dropped, as if its commit had never happened. kMustBeWhole: a torn record is an error.
enum class LogEnd : std::uint8_t { kMayBeTorn, kMustBeWhole };

// A Store on RocksDB. The payloads, which are large, lie in files beside the database, see
// PayloadStore. Threads: any number of readers, one thread in Write, and one in Rewrite, all at the
// same time. Ownership: it owns the folder's database until it is destroyed; iterators and views do
// not leave it. Failure: a write that the disk refuses calls the DiskFailure given to Open, which
// by default ends the process.
class RocksStore final : public Store {
 public:
  static constexpr int kMaxOpenFiles = 64;  // that RocksDB keeps open, however large the state is

  // Opens a database as its only owner, and creates the folder if it does not exist. kDisk: the
  // folder cannot be used. kInput: the database is damaged.
  static Result<std::unique_ptr<RocksStore>> Open(const std::string& folder,
                                                  const DiskFailure& failure = LeaveOnDiskFailure,
                                                  LogEnd log_end = LogEnd::kMayBeTorn);
  // Opens a database that another process may be writing to, and changes nothing. The store shows
  // the state of one commit. Payloads that the owner moves or erases later cannot be read from it.
  // kUnavailable: the owner replaced files during every try; a later call may succeed.
  static Result<std::unique_ptr<RocksStore>> OpenForReading(const std::string& folder,
                                                            LogEnd log_end = LogEnd::kMayBeTorn);
  ~RocksStore() override;
  // Lowers the limit of open files, for many databases in one process. `files` must be at least 20.
  // A limit of kMaxOpenFiles or more changes nothing.
  Status LimitOpenFiles(int files);

  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override;
  Status Scan(Family family, std::string_view first, const Visitor& visit) const override;
  std::optional<std::string> LastKey(Family family) const override;
  Status Write(const WriteBatch& batch, bool sync) override;
  // Rounded up to whole MiB: the number is published, and must not tell the size of a payload.
  std::int64_t Bytes(Family family) const override;

  Status Rewrite(const std::vector<KeyRange>& ranges, const Scrub& scrub) override;

  // Reads all files and compares every checksum. kInput: one is wrong. Payloads that the owner has
  // moved since the store was opened for reading are verified at their new location.
  Status Verify() const;
  // Writes the memtables to files, so that the next start has no log to replay. For a clean stop.
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
