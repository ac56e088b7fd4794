#include "state/store/rocks_store.h"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "state/store/database_files.h"
#include "state/store/payload_store.h"
#include "state/store/rocks_options.h"
#include "state/store/rocks_terms.h"

namespace lethe {
namespace {

constexpr std::size_t kMostRoom = std::size_t{8} << 20;     // kept for the next batch
constexpr std::int64_t kBytesUnit = std::int64_t{1} << 20;  // Bytes is rounded up to this
constexpr int kMostTries = 200;  // of opening a database while its owner changes it
constexpr std::chrono::milliseconds kPause{10};

// Creates all families of a new database in one call. If DB::Open created them one by one, RocksDB
// would write and sync the file of options once for each.
rocksdb::Status OpenOrCreate(const rocksdb::DBOptions& options, const std::string& folder,
                             std::vector<rocksdb::ColumnFamilyDescriptor> descriptors,
                             std::vector<rocksdb::ColumnFamilyHandle*>& families,
                             rocksdb::DB*& db) {
  std::error_code ignored;
  if (std::filesystem::exists(folder + "/CURRENT", ignored)) {
    return rocksdb::DB::Open(options, folder, descriptors, &families, &db);
  }
  auto status = rocksdb::DB::Open(options, folder, {descriptors.front()}, &families, &db);
  if (!status.ok()) return status;
  descriptors.erase(descriptors.begin());
  std::vector<rocksdb::ColumnFamilyHandle*> more;
  status = db->CreateColumnFamilies(descriptors, &more);
  families.insert(families.end(), more.begin(), more.end());
  return status;
}

// A logger without output, for folders that this process must not write to.
class SilentLogger final : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, va_list) override {}
};

}  // namespace

struct RocksStore::Impl {
  std::unique_ptr<rocksdb::Env> env;
  std::shared_ptr<ScrubbingFactory> scrubbing = std::make_shared<ScrubbingFactory>();
  std::string folder;
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> families;
  rocksdb::WriteBatch rows;  // used by Write only; a member, so that its memory is reused
  std::unique_ptr<PayloadStore> payloads;
  bool is_read_only = false;

  // RocksDB asserts that all handles are destroyed before the database is closed.
  ~Impl() {
    for (rocksdb::ColumnFamilyHandle* handle : families) db->DestroyColumnFamilyHandle(handle);
    if (db) db->Close();
  }
  rocksdb::ColumnFamilyHandle* handle(Family family) const {
    return families[static_cast<std::size_t>(family)];
  }
  Status Load(const DiskFailure& failure) {
    payloads = std::make_unique<PayloadStore>(*db, *handle(Family::kPayloads), folder, failure);
    return payloads->Load(!is_read_only);
  }
};

RocksStore::RocksStore(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RocksStore::~RocksStore() = default;

Result<std::unique_ptr<RocksStore>> RocksStore::Open(const std::string& folder,
                                                     const DiskFailure& failure, LogEnd log_end) {
  auto impl = std::make_unique<Impl>();
  impl->folder = folder;
  impl->env = NewGuardedEnv(failure);
  rocksdb::DB* db = nullptr;
  const auto opened = OpenOrCreate(DatabaseOptions(impl->env.get(), log_end), folder,
                                   Descriptors(impl->scrubbing), impl->families, db);
  impl->db.reset(db);
  LETHE_RETURN_IF_ERROR(Convert(opened, "opening " + folder));
  LETHE_RETURN_IF_ERROR(impl->Load(failure));
  return std::unique_ptr<RocksStore>(new RocksStore(std::move(impl)));
}

// RocksDB's read-only mode takes no lock, so the owner may replace files while this opens them. The
// list of files is therefore compared before and after. If no log was removed in between, what was
// opened is one commit's state (see DatabaseFiles). If opening failed and the files did not change,
// the failure is real. In all other cases the owner was at work, and it is tried again.
Result<std::unique_ptr<RocksStore>> RocksStore::OpenForReading(const std::string& folder,
                                                               LogEnd log_end) {
  for (int tries = 1;; ++tries) {
    const DatabaseFiles before(folder);
    auto opened = TryToOpenForReading(folder, log_end);
    const DatabaseFiles after(folder);
    if (opened.ok() ? after.HasLogsOf(before) : after == before) return opened;
    if (tries < kMostTries) {
      std::this_thread::sleep_for(kPause);
    } else {
      // Files changed during every try, so nothing is known to be damaged.
      return Status(
          ErrorCode::kUnavailable,
          folder + " is being rewritten without a pause and could not be read; ask again");
    }
  }
}

Result<std::unique_ptr<RocksStore>> RocksStore::TryToOpenForReading(const std::string& folder,
                                                                    LogEnd log_end) {
  auto impl = std::make_unique<Impl>();
  impl->folder = folder;
  impl->is_read_only = true;
  impl->env = NewGuardedEnv(LeaveOnDiskFailure);
  rocksdb::DBOptions options = DatabaseOptions(impl->env.get(), log_end);
  options.create_if_missing = false;
  options.max_open_files = -1;  // opens all files now: they stay readable if the owner unlinks them
  options.info_log = std::make_shared<SilentLogger>();  // the folder is not ours to write to
  rocksdb::DB* db = nullptr;
  const auto opened = rocksdb::DB::OpenForReadOnly(options, folder, Descriptors(impl->scrubbing),
                                                   &impl->families, &db);
  impl->db.reset(db);
  LETHE_RETURN_IF_ERROR(Convert(opened, "opening " + folder));
  LETHE_RETURN_IF_ERROR(impl->Load(LeaveOnDiskFailure));
  return std::unique_ptr<RocksStore>(new RocksStore(std::move(impl)));
}

Status RocksStore::LimitOpenFiles(int files) {
  if (files >= kMaxOpenFiles) return Status::Ok();
  return Convert(impl_->db->SetDBOptions({{"max_open_files", std::to_string(files)}}),
                 "limiting the files of " + impl_->folder);
}

Result<std::optional<std::string>> RocksStore::Get(Family family, std::string_view key) const {
  if (family == Family::kPayloads) return impl_->payloads->Get(key);
  std::string value;
  const auto status =
      impl_->db->Get(rocksdb::ReadOptions(), impl_->handle(family), Slice(key), &value);
  if (status.IsNotFound()) return std::optional<std::string>();
  LETHE_RETURN_IF_ERROR(Convert(status, "reading " + impl_->folder));
  return std::optional<std::string>(std::move(value));
}

Status RocksStore::Scan(Family family, std::string_view first, const Visitor& visit) const {
  if (family == Family::kPayloads) return impl_->payloads->Scan(first, visit);
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> rows(
      impl_->db->NewIterator(options, impl_->handle(family)));
  bool goes_on = true;
  for (rows->Seek(Slice(first)); goes_on && rows->Valid(); rows->Next()) {
    goes_on = visit(View(rows->key()), View(rows->value()));
  }
  return Convert(rows->status(), "reading " + impl_->folder);
}

std::optional<std::string> RocksStore::LastKey(Family family) const {
  if (family == Family::kPayloads) return impl_->payloads->LastKey();
  const std::unique_ptr<rocksdb::Iterator> rows(
      impl_->db->NewIterator(rocksdb::ReadOptions(), impl_->handle(family)));
  rows->SeekToLast();
  if (!rows->Valid()) return std::nullopt;
  return rows->key().ToString();
}

// Changes of payloads go to PayloadStore, which writes their values to files and adds the rows with
// their locations to the batch. One write to the database then makes all changes visible together.
Status RocksStore::Write(const WriteBatch& batch, bool sync) {
  rocksdb::WriteBatch& rows = impl_->rows;
  if (rows.GetDataSize() > kMostRoom) rows = rocksdb::WriteBatch();
  rows.Clear();
  rocksdb::Status status;
  std::vector<const WriteBatch::Change*> placed;
  for (const WriteBatch::Change& change : batch.changes()) {
    if (change.family == Family::kPayloads) {
      placed.push_back(&change);
      continue;
    }
    rocksdb::ColumnFamilyHandle* handle = impl_->handle(change.family);
    switch (change.kind) {
      case WriteBatch::Change::Kind::kPut:
        status = rows.Put(handle, Slice(change.key), Slice(change.value));
        break;
      case WriteBatch::Change::Kind::kDelete: status = rows.Delete(handle, change.key); break;
      case WriteBatch::Change::Kind::kDeleteRange:
        status = rows.DeleteRange(handle, Slice(change.key), Slice(change.value));
        break;
    }
    LETHE_RETURN_IF_ERROR(Convert(status, "writing to " + impl_->folder));
  }
  // The payload files come first: a row of the database may refer only to bytes that are on disk.
  return impl_->payloads->Write(placed, rows, [&] {
    rocksdb::WriteOptions options;
    options.sync = sync;
    return Convert(impl_->db->Write(options, &rows), "writing to " + impl_->folder);
  });
}

std::int64_t RocksStore::Bytes(Family family) const {
  std::uint64_t files = 0;
  std::uint64_t memory = 0;
  impl_->db->GetIntProperty(impl_->handle(family), "rocksdb.total-sst-files-size", &files);
  impl_->db->GetIntProperty(impl_->handle(family), "rocksdb.cur-size-all-mem-tables", &memory);
  const std::int64_t placed = family == Family::kPayloads ? impl_->payloads->bytes() : 0;
  const std::int64_t bytes = placed + static_cast<std::int64_t>(files + memory);
  return (bytes + kBytesUnit - 1) / kBytesUnit * kBytesUnit;
}

Status RocksStore::Verify() const {
  LETHE_RETURN_IF_ERROR(VerifyDatabase());
  auto unreadable = impl_->payloads->Unreadable();
  // The owner may have moved payloads since this store was opened for reading. A fresh view of the
  // database tells: a row is damaged if it is unreadable and its location has not changed.
  for (int tries = 1; impl_->is_read_only && !unreadable.empty() && tries <= kMostTries; ++tries) {
    const auto now = OpenForReading(impl_->folder);
    if (!now.ok()) return now.status();
    auto still = now.value()->impl_->payloads->Unreadable(unreadable);
    if (still == unreadable) break;
    unreadable = std::move(still);
  }
  if (unreadable.empty()) return Status::Ok();
  return {ErrorCode::kInput, "the state is damaged: " + std::to_string(unreadable.size()) +
                                 " rows of payloads in " + impl_->folder + " cannot be read"};
}

// RocksDB's own check opens each file again, which fails if the owner has removed one since this
// store was opened for reading. In that case all rows are read from the files that are still open,
// which verifies the checksum of every block.
Status RocksStore::VerifyDatabase() const {
  const auto status = impl_->db->VerifyChecksum();
  if (status.ok() || status.IsCorruption() || !impl_->is_read_only) {
    return Convert(status, "reading " + impl_->folder);
  }
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  options.ignore_range_deletions = true;
  for (rocksdb::ColumnFamilyHandle* family : impl_->families) {
    const std::unique_ptr<rocksdb::Iterator> rows(impl_->db->NewIterator(options, family));
    for (rows->SeekToFirst(); rows->Valid();) rows->Next();
    LETHE_RETURN_IF_ERROR(Convert(rows->status(), "reading " + impl_->folder));
  }
  return Status::Ok();
}

Status RocksStore::Flush() {
  return Convert(impl_->db->Flush(rocksdb::FlushOptions(), impl_->families),
                 "flushing " + impl_->folder);
}

// Joins ranges of a family that share a file. CompactRange rewrites whole files, so it would
// rewrite a shared file once for each range. Ranges are sorted and joined with the last range only;
// the cost is the number of ranges times the number of files.
std::vector<Store::KeyRange> RocksStore::JoinInFiles(std::vector<KeyRange> ranges) const {
  std::sort(ranges.begin(), ranges.end(), [](const KeyRange& a, const KeyRange& b) {
    return std::tie(a.family, a.first) < std::tie(b.family, b.first);
  });
  std::vector<KeyRange> joined;
  std::vector<rocksdb::LevelMetaData> levels;
  for (KeyRange& range : ranges) {
    if (joined.empty() || joined.back().family != range.family) {
      rocksdb::ColumnFamilyMetaData family;
      impl_->db->GetColumnFamilyMetaData(impl_->handle(range.family), &family);
      levels = std::move(family.levels);
      joined.push_back(std::move(range));
      continue;
    }
    KeyRange& last = joined.back();
    const auto holds_both = [&](const rocksdb::SstFileMetaData& file) {
      return file.smallestkey <= last.last && range.first <= file.largestkey;
    };
    const bool is_joined = std::any_of(levels.begin(), levels.end(), [&](const auto& level) {
      return std::any_of(level.files.begin(), level.files.end(), holds_both);
    });
    if (is_joined) {
      last.last = std::max(last.last, range.last);
    } else {
      joined.push_back(std::move(range));
    }
  }
  return joined;
}

// The steps, in an order that leaves nothing behind:
// 1. Payloads move to new files without the deleted ones. This changes their rows in the database;
//    the old rows have lengths and checksums of payloads that are to go.
// 2. A flush of all families makes RocksDB drop the log.
// 3. A forced compaction of each range applies the scrub to event rows, and drops overwritten and
//    deleted rows, among them the old rows of step 1.
// A step that fails ends the call. The next call begins again with step 1.
Status RocksStore::Rewrite(const std::vector<KeyRange>& ranges, const Scrub& scrub) {
  std::vector<KeyRange> in_database;
  std::vector<KeyRange> placed;
  for (const KeyRange& range : ranges) {
    (range.family == Family::kPayloads ? placed : in_database).push_back(range);
  }
  LETHE_RETURN_IF_ERROR(impl_->payloads->Rewrite(placed, scrub));
  impl_->scrubbing->Set(std::make_shared<const Scrub>(scrub));
  Status status = Flush();
  for (const KeyRange& range : JoinInFiles(std::move(in_database))) {
    if (!status.ok()) break;
    status = Compact(impl_->handle(range.family), range.first, range.last);
  }
  if (status.ok() && !placed.empty()) status = Compact(impl_->handle(Family::kPayloads), "", "");
  impl_->scrubbing->Set(nullptr);
  return status;
}

// Rewrites the files that have keys in [first_key, last_key]; two empty keys are the whole family.
// kForce rewrites the files of the last level too.
Status RocksStore::Compact(rocksdb::ColumnFamilyHandle* family, std::string_view first_key,
                           std::string_view last_key) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  options.exclusive_manual_compaction = false;
  const rocksdb::Slice first = Slice(first_key);
  const rocksdb::Slice last = Slice(last_key);
  const bool is_all = first_key.empty() && last_key.empty();
  return Convert(
      impl_->db->CompactRange(options, family, is_all ? nullptr : &first, is_all ? nullptr : &last),
      "compacting " + impl_->folder);
}

}  // namespace lethe
