#pragma once

#include <cstdint>
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

// Rows whose values are so large that a database would cost more than all else that is done with
// them: it copies a value about a dozen times until it lies where it stays. Here it is written
// once, to a file beside the database, which has a small row that says where. The value is on disk
// before anything refers to it, so whichever commits survive a crash, what they refer to is there.
// For readers beside one writer and one that rewrites.
class PayloadStore {
 public:
  // `locations` is the family of the small rows.
  PayloadStore(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& locations, const std::string& folder,
               DiskFailure failure);

  // Learns which rows there are. To write, also the files are taken over.
  Status Load(bool to_write);

  Result<std::optional<std::string>> Get(std::string_view key) const;
  Status Scan(std::string_view first, const Store::Visitor& visit) const;
  std::optional<std::string> LastKey() const;
  std::int64_t bytes() const { return static_cast<std::int64_t>(files_.bytes()); }

  // The rows that cannot be read, with their locations; or those of `rows` that still cannot.
  using Row = std::pair<std::string, BlobLocation>;
  std::vector<Row> Unreadable() const;
  std::vector<Row> Unreadable(const std::vector<Row>& rows) const;
  std::optional<BlobLocation> LocationOf(std::string_view key) const;

  // Writes the values of rows to files, and then `rows` to the database, with what it has to know
  // of them.
  Status Write(const std::vector<const WriteBatch::Change*>& changes, rocksdb::WriteBatch& rows,
               bool sync);

  // As Store::Rewrite, for ranges of these rows.
  //
  // All rows of the groups that the ranges touch move to new files, and the old files go. So
  // nothing that lies anywhere, and no location of a row, depends on what was taken out: neither
  // its bytes nor its length. A crash on the way leaves some rows in old files, which are whole,
  // and the next Rewrite moves them.
  Status Rewrite(const std::vector<Store::KeyRange>& ranges, const Store::Scrub& scrub);

 private:
  // A row, and where it is said to lie from now on.
  struct Change {
    std::string key;
    BlobLocation from;
    BlobLocation to;
  };

  // The row at `key` or the first one behind it.
  std::optional<Row> Next(std::string_view key) const;
  // Reads a row where it is now; false if there is none. A Rewrite may change it at the same time.
  Result<bool> Read(Row& row, BlobFiles::Reader& reader, std::string& value) const;
  Status Add(const std::vector<const WriteBatch::Change*>& changes, rocksdb::WriteBatch& rows);
  void Apply(const WriteBatch::Change& change);
  void SetLocation(const std::string& key, const BlobLocation& location);
  Status MoveGroup(std::uint64_t group, const Store::Scrub& scrub);
  // A row that a writer has replaced meanwhile stays where the writer has put it.
  Status ChangeLocations(const std::vector<Change>& changes);
  Status DestroyReleased();

  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* const locations_;
  const std::string folder_;
  BlobFiles files_;
  std::mutex writing_;  // from the values of a commit to the rows that refer to them
  BlobFiles::Writer writer_{files_};
  std::vector<WriteBatch::Change> added_;  // until they are written; of a put, the location

  std::mutex destroying_;  // one at a time, so that whoever comes second finds all gone
  mutable std::mutex mutex_;
  std::map<std::string, BlobLocation, std::less<>> rows_;  // as in the database
};

}  // namespace lethe
