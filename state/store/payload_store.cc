#include "state/store/payload_store.h"

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <set>
#include <utility>

#include "state/format/bytes.h"
#include "state/format/keys.h"
#include "state/store/rocks_terms.h"

namespace lethe {
namespace {

constexpr std::size_t kLocationBytes = 8 + 8 + 8 + 4;
constexpr std::size_t kPortion = std::size_t{8} << 20;  // a Rewrite moves so many bytes at a time
// The number of keys in a group. The rows of a group share files, and move together when one of
// them changes. A group is a range of keys, so that it does not depend on the sizes of the values.
constexpr std::uint64_t kGroup = 65'536;
// Released bytes that Write tolerates before it destroys them. Replaced pieces and windows release
// bytes also where nothing is ever deleted.
constexpr std::uint64_t kMostReleased = std::uint64_t{16} << 20;

std::string Encode(const BlobLocation& location) {
  std::string value;
  PutNumber(value, location.file);
  PutNumber(value, location.offset);
  PutNumber(value, location.size);
  PutNumber(value, location.checksum);
  return value;
}

std::optional<BlobLocation> Decode(std::string_view value) {
  if (value.size() != kLocationBytes) return std::nullopt;
  return BlobLocation{NumberAt<std::uint64_t>(value, 0), NumberAt<std::uint64_t>(value, 8),
                      NumberAt<std::uint64_t>(value, 16), NumberAt<std::uint32_t>(value, 24)};
}

std::uint64_t GroupOf(std::string_view key) { return KeyNumber(key) / kGroup; }

}  // namespace

PayloadStore::PayloadStore(rocksdb::DB& db, rocksdb::ColumnFamilyHandle& locations,
                           const std::string& folder, DiskFailure failure)
    : db_(db),
      locations_(&locations),
      folder_(folder),
      files_(folder + "/payloads", std::move(failure)) {}

Status PayloadStore::Load(bool to_write) {
  std::vector<BlobLocation> locations;
  const std::unique_ptr<rocksdb::Iterator> rows(
      db_.NewIterator(rocksdb::ReadOptions(), locations_));
  for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
    const auto location = Decode(View(rows->value()));
    if (!location)
      return {ErrorCode::kInput, "the state is damaged: a location of payloads in " + folder_};
    rows_.emplace_hint(rows_.end(), rows->key().ToString(), *location);
    locations.push_back(*location);
  }
  LETHE_RETURN_IF_ERROR(Convert(rows->status(), "reading " + folder_));
  return to_write ? files_.Load(std::move(locations)) : Status::Ok();
}

std::optional<PayloadStore::Row> PayloadStore::Next(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto row = rows_.lower_bound(key);
  if (row == rows_.end()) return std::nullopt;
  return *row;
}

std::optional<BlobLocation> PayloadStore::LocationOf(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto row = rows_.find(key);
  if (row == rows_.end()) return std::nullopt;
  return row->second;
}

// Reading needs no lock: if the bytes at a location are gone, then a Rewrite or a Write has changed
// the location before, and the loop tries the new one. The same location twice means damage.
Result<bool> PayloadStore::Read(Row& row, BlobFiles::Reader& reader, std::string& value) const {
  while (true) {
    const Status status = reader.Read(row.second, value);
    if (status.ok()) return true;
    const auto location = LocationOf(row.first);
    if (!location) return false;
    if (*location == row.second) return status;
    row.second = *location;
  }
}

Result<std::optional<std::string>> PayloadStore::Get(std::string_view key) const {
  const auto location = LocationOf(key);
  if (!location) return std::optional<std::string>();
  Row row(key, *location);
  BlobFiles::Reader reader(files_);
  std::string value;
  const auto is_there = Read(row, reader, value);
  if (!is_there.ok()) return is_there.status();
  if (!is_there.value()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(value));
}

Status PayloadStore::Scan(std::string_view first, const Store::Visitor& visit) const {
  BlobFiles::Reader reader(files_);
  std::string value;
  for (auto row = Next(first); row; row = Next(row->first + '\0')) {
    const auto is_there = Read(*row, reader, value);
    if (!is_there.ok()) return is_there.status();
    if (is_there.value() && !visit(row->first, value)) break;
  }
  return Status::Ok();
}

std::optional<std::string> PayloadStore::LastKey() const {
  const std::lock_guard lock(mutex_);
  if (rows_.empty()) return std::nullopt;
  return rows_.rbegin()->first;
}

std::vector<PayloadStore::Row> PayloadStore::Unreadable() const {
  std::vector<Row> unreadable;
  BlobFiles::Reader reader(files_);
  std::string value;
  for (auto row = Next(""); row; row = Next(row->first + '\0')) {
    if (!Read(*row, reader, value).ok()) unreadable.push_back(*row);
  }
  return unreadable;
}

std::vector<PayloadStore::Row> PayloadStore::Unreadable(const std::vector<Row>& rows) const {
  std::vector<Row> unreadable;
  BlobFiles::Reader reader(files_);
  std::string value;
  for (const auto& [key, old_location] : rows) {
    const auto location = LocationOf(key);
    if (!location) continue;
    Row row(key, *location);
    if (!Read(row, reader, value).ok()) unreadable.push_back(row);
  }
  return unreadable;
}

// Two passes over the changes. The first appends the values of the puts to files, in one call for
// each run of keys of a group. The second adds a row for each change, with the locations in order.
Status PayloadStore::Add(const std::vector<const WriteBatch::Change*>& changes,
                         rocksdb::WriteBatch& rows) {
  using Kind = WriteBatch::Change::Kind;
  std::vector<BlobLocation> locations;
  std::vector<std::string_view> values;
  std::uint64_t group = 0;
  const auto append = [&]() -> Status {
    if (values.empty()) return Status::Ok();
    const auto written = writer_.Append(values, group);
    if (!written.ok()) return written.status();
    locations.insert(locations.end(), written.value().begin(), written.value().end());
    values.clear();
    return Status::Ok();
  };
  for (const WriteBatch::Change* change : changes) {
    if (change->kind != Kind::kPut) continue;
    if (GroupOf(change->key) != group) LETHE_RETURN_IF_ERROR(append());
    group = GroupOf(change->key);
    values.push_back(change->value);
  }
  LETHE_RETURN_IF_ERROR(append());
  added_.clear();
  auto location = locations.begin();
  for (const WriteBatch::Change* change : changes) {
    WriteBatch::Change added{change->kind, change->family, change->key, {}};
    rocksdb::Status status;
    switch (change->kind) {
      case Kind::kPut:
        added.value = Encode(*location++);
        status = rows.Put(locations_, Slice(added.key), Slice(added.value));
        break;
      case Kind::kDelete: status = rows.Delete(locations_, Slice(change->key)); break;
      case Kind::kDeleteRange:
        added.value = change->value;
        status = rows.DeleteRange(locations_, Slice(change->key), Slice(change->value));
        break;
    }
    added_.push_back(std::move(added));
    LETHE_RETURN_IF_ERROR(Convert(status, "writing to " + folder_));
  }
  return Status::Ok();
}

Status PayloadStore::Write(const std::vector<const WriteBatch::Change*>& changes,
                           rocksdb::WriteBatch& rows, const std::function<Status()>& commit) {
  {
    const std::lock_guard writing(writing_);
    LETHE_RETURN_IF_ERROR(Add(changes, rows));
    const std::lock_guard lock(mutex_);
    LETHE_RETURN_IF_ERROR(commit());
    for (const WriteBatch::Change& change : added_) Apply(change);
  }
  return files_.released_bytes() > kMostReleased ? DestroyReleased() : Status::Ok();
}

void PayloadStore::Apply(const WriteBatch::Change& change) {
  if (change.kind == WriteBatch::Change::Kind::kPut)
    return SetLocation(change.key, *Decode(change.value));
  const bool is_range = change.kind == WriteBatch::Change::Kind::kDeleteRange;
  const auto first = rows_.lower_bound(change.key);
  const auto end = is_range ? rows_.lower_bound(change.value) : rows_.upper_bound(change.key);
  for (auto row = first; row != end; ++row) files_.Release(row->second);
  rows_.erase(first, end);
}

void PayloadStore::SetLocation(const std::string& key, const BlobLocation& location) {
  const auto [row, is_new] = rows_.try_emplace(key, location);
  if (is_new) return;
  files_.Release(row->second);
  row->second = location;
}

// Holds mutex_ from the comparison with `from` to the change of rows_, so no Write comes in
// between. Whichever of the two locations lost is released: `from` if the row moved, `to` if it did
// not.
Status PayloadStore::ChangeLocations(const std::vector<Change>& changes) {
  const std::lock_guard lock(mutex_);
  rocksdb::WriteBatch batch;
  for (const Change& change : changes) {
    const auto row = rows_.find(change.key);
    // A row that Write has put meanwhile was encoded after the deletion, so it needs no scrub.
    if (row == rows_.end() || row->second != change.from) continue;
    const auto status = batch.Put(locations_, Slice(change.key), Slice(Encode(change.to)));
    LETHE_RETURN_IF_ERROR(Convert(status, "writing to " + folder_));
  }
  LETHE_RETURN_IF_ERROR(
      Convert(db_.Write(rocksdb::WriteOptions(), &batch), "writing to " + folder_));
  for (const Change& change : changes) {
    const auto row = rows_.find(change.key);
    const bool is_moved = row != rows_.end() && row->second == change.from;
    files_.Release(is_moved ? change.from : change.to);
    if (is_moved) row->second = change.to;
  }
  return Status::Ok();
}

Status PayloadStore::MoveGroup(std::uint64_t group, const Store::Scrub& scrub) {
  const std::string end = NumberKey((group + 1) * kGroup);
  BlobFiles::Reader reader(files_);
  BlobFiles::Writer writer(files_);
  std::vector<Change> changes;
  std::vector<std::string> values;
  std::size_t bytes = 0;
  const auto move = [&]() -> Status {
    if (values.empty()) return Status::Ok();
    const auto locations = writer.Append({values.begin(), values.end()}, group);
    if (!locations.ok()) return locations.status();
    for (std::size_t i = 0; i < changes.size(); ++i) changes[i].to = locations.value()[i];
    LETHE_RETURN_IF_ERROR(ChangeLocations(changes));
    changes.clear();
    values.clear();
    bytes = 0;
    return Status::Ok();
  };
  std::string value;
  for (auto row = Next(NumberKey(group * kGroup)); row && row->first < end;
       row = Next(row->first + '\0')) {
    const auto is_there = Read(*row, reader, value);
    if (!is_there.ok()) return is_there.status();
    if (!is_there.value()) continue;
    if (auto changed = scrub(value)) value = *std::move(changed);
    bytes += value.size();
    changes.push_back({row->first, row->second, {}});
    values.push_back(std::move(value));
    if (bytes >= kPortion) LETHE_RETURN_IF_ERROR(move());
  }
  return move();
}

Status PayloadStore::Rewrite(const std::vector<Store::KeyRange>& ranges,
                             const Store::Scrub& scrub) {
  std::set<std::uint64_t> groups;
  for (const Store::KeyRange& range : ranges) {
    for (auto group = GroupOf(range.first); group <= GroupOf(range.last); ++group) {
      groups.insert(group);
    }
  }
  {
    // From here on Write appends to a new file, so the files of these groups can be removed.
    const std::lock_guard writing(writing_);
    if (groups.contains(writer_.group())) writer_.Close();
  }
  for (const std::uint64_t group : groups) LETHE_RETURN_IF_ERROR(MoveGroup(group, scrub));
  return DestroyReleased();
}

// Syncs the log before it destroys anything. If a crash lost the commit that released an extent,
// the row before that commit would come back, and its value must then still exist.
Status PayloadStore::DestroyReleased() {
  const std::lock_guard one_at_a_time(destroying_);
  std::vector<BlobFiles::Extent> released = files_.TakeReleased();
  if (released.empty()) return Status::Ok();
  LETHE_RETURN_IF_ERROR(Convert(db_.SyncWAL(), "writing to " + folder_));
  return files_.Destroy(std::move(released));
}

}  // namespace lethe
