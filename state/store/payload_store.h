#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/status.h"
#include "state/store/blob_files.h"
#include "state/store/store.h"

namespace rocksdb {
class ColumnFamilyHandle;
class DB;
class WriteBatch;
}  // namespace rocksdb

namespace lethe {

// A blob store beside the database, for rows with large values. RocksDB would copy such a value
// about a dozen times until it reaches its last level. Here the value is written once, to a file,
// and the database has a small row with its BlobLocation. The value is synced before the row is
// written, so every row that survives a crash has its value. All locations are in memory, in order
// of key; a key is a NumberKey. Threads: any number of readers, one thread in Write and one in
// Rewrite, all at the same time. Ownership: borrows the database and the family, which must outlive
// it; owns the files. Failure: kInput means damage, kDisk that the disk refused. After an error of
// Write or Rewrite it must only be read.
class PayloadStore {
 public:
  // `locations` is the column family with the locations; `folder` is that of the database.
  // `failure` is called when the disk refuses a write.
  PayloadStore(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& locations, const std::string& folder,
               DiskFailure failure);

  // Reads all locations. Call it once, before anything else. With `to_write`, the store also takes
  // over the files, and releases bytes that no row refers to.
  Status Load(bool to_write);

  // As the methods of Store with these names.
  Result<std::optional<std::string>> Get(std::string_view key) const;
  Status Scan(std::string_view first, const Store::Visitor& visit) const;
  std::optional<std::string> LastKey() const;
  std::int64_t bytes() const { return static_cast<std::int64_t>(files_.bytes()); }

  // A key, and where its value lies.
  using Row = std::pair<std::string, BlobLocation>;
  // Reads all rows, and returns those that cannot be read.
  std::vector<Row> Unreadable() const;
  // Reads the rows with the keys of `rows`, and returns those that cannot be read, with their
  // current locations. Rows that no longer exist are left out.
  std::vector<Row> Unreadable(const std::vector<Row>& rows) const;
  // None: there is no such row.
  std::optional<BlobLocation> LocationOf(std::string_view key) const;

  // Writes the values of `changes` to files and syncs them, adds their locations to `rows`, and
  // calls `commit`, which must write `rows` to the database. The locations count from then on.
  // `changes` is borrowed for the call.
  Status Write(const std::vector<const WriteBatch::Change*>& changes, rocksdb::WriteBatch& rows,
               const std::function<Status()>& commit);

  // As Store::Rewrite, for ranges of these rows.
  //
  // All rows of the groups that the ranges touch move to new files, and the old files are removed.
  // So no byte on disk and no location depends on what `scrub` removed, neither on its bytes nor on
  // its length. A crash on the way leaves some rows in old files, which are complete, and the next
  // Rewrite moves them.
  Status Rewrite(const std::vector<Store::KeyRange>& ranges, const Store::Scrub& scrub);

 private:
  // A row that moves from one location to another.
  struct Change {
    std::string key;
    BlobLocation from;
    BlobLocation to;
  };

  // The row at `key`, or else the first row after it.
  std::optional<Row> Next(std::string_view key) const;
  // Reads a row, and follows it if a Rewrite moves it meanwhile: `row` then has the new location.
  // Returns false if the row was deleted meanwhile.
  Result<bool> Read(Row& row, BlobFiles::Reader& reader, std::string& value) const;
  // Appends the values to files, and fills `rows` and added_.
  Status Add(const std::vector<const WriteBatch::Change*>& changes, rocksdb::WriteBatch& rows);
  // Applies a change of added_ to rows_, and releases what it replaces. Needs mutex_.
  void Apply(const WriteBatch::Change& change);
  void SetLocation(const std::string& key, const BlobLocation& location);
  // Moves all rows of a group to new files, scrubbed.
  Status MoveGroup(std::uint64_t group, const Store::Scrub& scrub);
  // Stores the new locations. A row that Write has replaced meanwhile is left alone.
  Status ChangeLocations(const std::vector<Change>& changes);
  Status DestroyReleased();

  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* const locations_;
  const std::string folder_;
  BlobFiles files_;
  std::mutex writing_;  // held by Write until the rows refer to the values
  BlobFiles::Writer writer_{files_};
  // The changes of the Write under way. A put has its encoded location as value.
  std::vector<WriteBatch::Change> added_;

  std::mutex destroying_;  // the second caller waits, and finds everything destroyed
  mutable std::mutex mutex_;
  // The rows of the database. Guarded by mutex_.
  std::map<std::string, BlobLocation, std::less<>> rows_;
};

}  // namespace lethe
