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

#include "engine/status.h"
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
class PlacedRows {
 public:
  // `places` is the family of the small rows; null: there are none.
  PlacedRows(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* places, const std::string& folder,
             DiskFailure failure);

  // Learns which rows there are. To write, also the files are taken over.
  Status Load(bool to_write);

  Result<std::optional<std::string>> Get(std::string_view key) const;
  Status Scan(std::string_view first, const Store::Visitor& visit) const;
  std::optional<std::string> LastKey() const;
  std::int64_t bytes() const { return static_cast<std::int64_t>(files_.bytes()); }

  // The rows that cannot be read, with their places; or those of `rows` that still cannot.
  using Row = std::pair<std::string, BlobPlace>;
  std::vector<Row> Unreadable() const;
  std::vector<Row> Unreadable(const std::vector<Row>& rows) const;
  std::optional<BlobPlace> PlaceOf(std::string_view key) const;

  // Writes the values of rows to a file, and adds to `rows` what the database has to know.
  Status Add(const std::vector<const WriteBatch::Change*>& changes, rocksdb::WriteBatch& rows);
  // Writes `rows`, with all that was added to them.
  Status Write(rocksdb::WriteBatch& rows, bool sync);

  // As Store::Rewrite, for ranges of these rows. `scrub` only makes zeros of bytes.
  //
  // They become zeros where they lie. First the database notes which, so that a crash on the way
  // does no harm: whoever reads takes them for zeros, and the next Rewrite makes them so.
  Status Rewrite(const std::vector<Store::KeyRange>& ranges, const Store::Scrub& scrub);

 private:
  // A row, and where it is said to lie from now on.
  struct Change {
    std::string key;
    BlobPlace from;
    BlobPlace to;
  };

  // The row at `key` or the first one behind it.
  std::optional<Row> Next(std::string_view key) const;
  // Reads a row where it is now; false if there is none. A Rewrite may change it at the same time.
  Result<bool> Read(Row& row, BlobFiles::Reader& reader, std::string& value) const;
  void Apply(const WriteBatch::Change& change);
  void Place(const std::string& key, const BlobPlace& place);
  // Leaves out those whose row is not any more where it was.
  Status ChangePlaces(std::vector<Change>& changes, bool sync);
  Status Blank(std::vector<Change>& changes);
  Status DestroyReleased();

  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* const places_;
  const std::string folder_;
  BlobFiles files_;
  BlobFiles::Writer writer_{files_};
  std::vector<WriteBatch::Change> added_;  // until they are written; of a put, the place

  std::mutex destroying_;  // one at a time, so that whoever comes second finds all gone
  mutable std::mutex mutex_;
  std::map<std::string, BlobPlace, std::less<>> rows_;  // as in the database
};

}  // namespace lethe
