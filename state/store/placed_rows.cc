#include "state/store/placed_rows.h"

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/check.h"
#include "state/bytes.h"
#include "state/store/rocks_terms.h"

namespace lethe {
namespace {

constexpr std::size_t kPlace = 8 + 8 + 8 + 4;
constexpr std::size_t kBlank = 8 + 8;
constexpr std::size_t kPortion = 4096;  // rows that a Rewrite changes at a time
// Of what nobody needs; pieces and windows leave it behind, also where nothing is ever deleted.
constexpr std::uint64_t kMostReleased = std::uint64_t{16} << 20;

std::string Encode(const BlobPlace& place) {
  std::string value;
  PutNumber(value, place.file);
  PutNumber(value, place.offset);
  PutNumber(value, place.size);
  PutNumber(value, place.checksum);
  for (const BlobPlace::Blank& blank : place.blanks) {
    PutNumber(value, blank.offset);
    PutNumber(value, blank.size);
  }
  return value;
}

std::optional<BlobPlace> Decode(std::string_view value) {
  if (value.size() < kPlace || (value.size() - kPlace) % kBlank != 0) return std::nullopt;
  BlobPlace place{NumberAt<std::uint64_t>(value, 0),
                  NumberAt<std::uint64_t>(value, 8),
                  NumberAt<std::uint64_t>(value, 16),
                  NumberAt<std::uint32_t>(value, 24),
                  {}};
  for (std::size_t at = kPlace; at < value.size(); at += kBlank) {
    place.blanks.push_back(
        {NumberAt<std::uint64_t>(value, at), NumberAt<std::uint64_t>(value, at + 8)});
  }
  return place;
}

// Adds the bytes that are zeros in `after` only.
void AddBlanks(std::string_view before, std::string_view after,
               std::vector<BlobPlace::Blank>& blanks) {
  constexpr std::size_t kStep = 256;
  LETHE_CHECK(before.size() == after.size());
  for (std::size_t from = 0; from < before.size(); from += kStep) {
    const std::size_t to = std::min(from + kStep, before.size());
    if (std::memcmp(before.data() + from, after.data() + from, to - from) == 0) continue;
    for (std::size_t i = from; i < to; ++i) {
      if (before[i] == after[i]) continue;
      LETHE_CHECK(after[i] == 0);
      // Zeros between two are blank as well.
      const std::size_t end = blanks.empty() ? 0 : blanks.back().offset + blanks.back().size;
      const bool is_next = !blanks.empty() && end <= i &&
                           after.substr(end, i - end).find_first_not_of('\0') == after.npos;
      if (!is_next) blanks.push_back({i, 0});
      blanks.back().size = i + 1 - blanks.back().offset;
    }
  }
}

}  // namespace

PlacedRows::PlacedRows(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* places,
                       const std::string& folder, DiskFailure failure)
    : db_(db), places_(places), folder_(folder), files_(folder + "/payloads", std::move(failure)) {}

Status PlacedRows::Load(bool to_write) {
  if (places_ == nullptr) return Status::Ok();
  std::vector<BlobPlace> places;
  const std::unique_ptr<rocksdb::Iterator> rows(db_.NewIterator(rocksdb::ReadOptions(), places_));
  for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
    const auto place = Decode(View(rows->value()));
    if (!place)
      return {ErrorCode::kInput, "the state is damaged: a place of payloads in " + folder_};
    rows_.emplace_hint(rows_.end(), rows->key().ToString(), *place);
    places.push_back(*place);
  }
  LETHE_RETURN_IF_ERROR(Convert(rows->status(), "reading " + folder_));
  return to_write ? files_.Load(std::move(places)) : Status::Ok();
}

std::optional<PlacedRows::Row> PlacedRows::Next(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto row = rows_.lower_bound(key);
  if (row == rows_.end()) return std::nullopt;
  return *row;
}

std::optional<BlobPlace> PlacedRows::PlaceOf(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto row = rows_.find(key);
  if (row == rows_.end()) return std::nullopt;
  return row->second;
}

Result<bool> PlacedRows::Read(Row& row, BlobFiles::Reader& reader, std::string& value) const {
  while (true) {
    const Status status = reader.Read(row.second, value);
    if (status.ok()) return true;
    const auto place = PlaceOf(row.first);
    if (!place) return false;
    if (*place == row.second) return status;
    row.second = *place;
  }
}

Result<std::optional<std::string>> PlacedRows::Get(std::string_view key) const {
  const auto place = PlaceOf(key);
  if (!place) return std::optional<std::string>();
  Row row(key, *place);
  BlobFiles::Reader reader(files_);
  std::string value;
  const auto is_there = Read(row, reader, value);
  if (!is_there.ok()) return is_there.status();
  if (!is_there.value()) return std::optional<std::string>();
  return std::optional<std::string>(std::move(value));
}

Status PlacedRows::Scan(std::string_view first, const Store::Visitor& visit) const {
  BlobFiles::Reader reader(files_);
  std::string value;
  for (auto row = Next(first); row; row = Next(row->first + '\0')) {
    const auto is_there = Read(*row, reader, value);
    if (!is_there.ok()) return is_there.status();
    if (is_there.value() && !visit(row->first, value)) break;
  }
  return Status::Ok();
}

std::optional<std::string> PlacedRows::LastKey() const {
  const std::lock_guard lock(mutex_);
  if (rows_.empty()) return std::nullopt;
  return rows_.rbegin()->first;
}

std::vector<PlacedRows::Row> PlacedRows::Unreadable() const {
  std::vector<Row> unreadable;
  BlobFiles::Reader reader(files_);
  std::string value;
  for (auto row = Next(""); row; row = Next(row->first + '\0')) {
    if (!Read(*row, reader, value).ok()) unreadable.push_back(*row);
  }
  return unreadable;
}

std::vector<PlacedRows::Row> PlacedRows::Unreadable(const std::vector<Row>& rows) const {
  std::vector<Row> unreadable;
  BlobFiles::Reader reader(files_);
  std::string value;
  for (const auto& [key, old_place] : rows) {
    const auto place = PlaceOf(key);
    if (!place) continue;
    Row row(key, *place);
    if (!Read(row, reader, value).ok()) unreadable.push_back(row);
  }
  return unreadable;
}

Status PlacedRows::Add(const std::vector<const WriteBatch::Change*>& changes,
                       rocksdb::WriteBatch& rows) {
  using Kind = WriteBatch::Change::Kind;
  std::vector<std::string_view> values;
  for (const WriteBatch::Change* change : changes) {
    if (change->kind == Kind::kPut) values.push_back(change->value);
  }
  std::vector<BlobPlace> places;
  if (!values.empty()) {
    auto written = writer_.Append(values);
    if (!written.ok()) return written.status();
    places = std::move(written).value();
  }
  auto place = places.begin();
  for (const WriteBatch::Change* change : changes) {
    LETHE_CHECK(places_ != nullptr);
    WriteBatch::Change added{change->kind, change->family, change->key, {}};
    rocksdb::Status status;
    switch (change->kind) {
      case Kind::kPut:
        added.value = Encode(*place++);
        status = rows.Put(places_, Slice(added.key), Slice(added.value));
        break;
      case Kind::kDelete: status = rows.Delete(places_, Slice(change->key)); break;
      case Kind::kDeleteRange:
        added.value = change->value;
        status = rows.DeleteRange(places_, Slice(change->key), Slice(change->value));
        break;
    }
    added_.push_back(std::move(added));
    LETHE_RETURN_IF_ERROR(Convert(status, "writing to " + folder_));
  }
  return Status::Ok();
}

Status PlacedRows::Write(rocksdb::WriteBatch& rows, bool sync) {
  rocksdb::WriteOptions options;
  options.sync = sync;
  {
    const std::lock_guard lock(mutex_);
    LETHE_RETURN_IF_ERROR(Convert(db_.Write(options, &rows), "writing to " + folder_));
    for (const WriteBatch::Change& change : added_) Apply(change);
  }
  added_.clear();
  return files_.released_bytes() > kMostReleased ? DestroyReleased() : Status::Ok();
}

void PlacedRows::Apply(const WriteBatch::Change& change) {
  if (change.kind == WriteBatch::Change::Kind::kPut)
    return Place(change.key, *Decode(change.value));
  const bool is_range = change.kind == WriteBatch::Change::Kind::kDeleteRange;
  const auto first = rows_.lower_bound(change.key);
  const auto end = is_range ? rows_.lower_bound(change.value) : rows_.upper_bound(change.key);
  for (auto row = first; row != end; ++row) files_.Release(row->second);
  rows_.erase(first, end);
}

void PlacedRows::Place(const std::string& key, const BlobPlace& place) {
  const auto [row, is_new] = rows_.try_emplace(key, place);
  if (is_new) return;
  files_.Release(row->second);
  row->second = place;
}

Status PlacedRows::ChangePlaces(std::vector<Change>& changes, bool sync) {
  const std::lock_guard lock(mutex_);
  // What took the place of a row was written without what had to go.
  std::erase_if(changes, [this](const Change& change) {
    const auto row = rows_.find(change.key);
    return row == rows_.end() || row->second != change.from;
  });
  rocksdb::WriteBatch batch;
  for (const Change& change : changes) {
    const auto status = batch.Put(places_, Slice(change.key), Slice(Encode(change.to)));
    LETHE_RETURN_IF_ERROR(Convert(status, "writing to " + folder_));
  }
  rocksdb::WriteOptions options;
  options.sync = sync;
  LETHE_RETURN_IF_ERROR(Convert(db_.Write(options, &batch), "writing to " + folder_));
  for (const Change& change : changes) rows_.find(change.key)->second = change.to;
  return Status::Ok();
}

Status PlacedRows::Blank(std::vector<Change>& changes) {
  LETHE_RETURN_IF_ERROR(ChangePlaces(changes, true));
  std::vector<BlobFiles::Extent> extents;
  for (Change& change : changes) {
    for (const BlobPlace::Blank& blank : change.to.blanks) {
      const std::uint64_t offset = change.to.offset + blank.offset;
      extents.push_back({change.to.file, offset, offset + blank.size});
    }
    change.from = change.to;
    change.to.blanks.clear();
  }
  LETHE_RETURN_IF_ERROR(files_.MakeZeros(std::move(extents)));
  LETHE_RETURN_IF_ERROR(ChangePlaces(changes, false));
  changes.clear();
  return Status::Ok();
}

Status PlacedRows::Rewrite(const std::vector<Store::KeyRange>& ranges, const Store::Scrub& scrub) {
  BlobFiles::Reader reader(files_);
  std::vector<Change> changes;
  std::string value;
  for (const Store::KeyRange& range : ranges) {
    for (auto row = Next(range.first); row && row->first <= range.last;
         row = Next(row->first + '\0')) {
      const auto is_there = Read(*row, reader, value);
      if (!is_there.ok()) return is_there.status();
      if (!is_there.value()) continue;
      BlobPlace to = row->second;
      if (const auto changed = scrub(value)) {
        AddBlanks(value, *changed, to.blanks);
        to.checksum = BlobFiles::Checksum(*changed);
      }
      if (to.blanks.empty()) continue;
      changes.push_back({row->first, row->second, std::move(to)});
      if (changes.size() == kPortion) LETHE_RETURN_IF_ERROR(Blank(changes));
    }
  }
  if (!changes.empty()) LETHE_RETURN_IF_ERROR(Blank(changes));
  return DestroyReleased();
}

// It must not come back into use, as it would if the commits that released it were lost.
Status PlacedRows::DestroyReleased() {
  const std::lock_guard one_at_a_time(destroying_);
  std::vector<BlobFiles::Extent> released = files_.TakeReleased();
  if (released.empty()) return Status::Ok();
  LETHE_RETURN_IF_ERROR(Convert(db_.SyncWAL(), "writing to " + folder_));
  return files_.Destroy(std::move(released));
}

}  // namespace lethe
