#include "state/shard_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "engine/base/archive.h"
#include "state/store/private_file.h"

namespace lethe {
namespace {

// The name of the format of the whole state. It is the first line of an identity, which every start
// reads before anything else.
constexpr std::string_view kFormat = "lethe.state/1\n";
constexpr std::size_t kLongestFormat = 32;
constexpr std::string_view kShardPrefix = "shard-";

// The bytes of an identity file: format, identity, and the SHA-256 of both.
std::string Sealed(const ShardIdentity& identity, const Hasher& hasher) {
  SavingArchive archive;
  archive(identity);
  std::string bytes = std::string(kFormat) + archive.Take();
  const Digest digest = hasher.Sha256(bytes);
  bytes.append(reinterpret_cast<const char*>(digest.data()), digest.size());
  return bytes;
}

// The format that the first line of an identity names, if this program does not read it. Empty if
// it does, or if the line is too damaged to be a name.
std::string OtherFormatOf(const std::string& bytes) {
  const std::string line = bytes.substr(0, bytes.find('\n'));
  const bool is_name =
      line.starts_with("lethe.") && line.size() <= kLongestFormat &&
      std::all_of(line.begin(), line.end(), [](char c) { return c > ' ' && c <= '~'; });
  return is_name && !bytes.starts_with(kFormat) ? line : "";
}

// The inverse of Sealed. kInput: another format, another shard, or damage.
Result<ShardIdentity> Unsealed(const std::string& bytes, const std::string& path, ShardId shard,
                               const Hasher& hasher) {
  if (const std::string format = OtherFormatOf(bytes); !format.empty()) {
    return Status(ErrorCode::kInput, path + " says that the state has the format " + format +
                                         ". This program reads " +
                                         std::string(kFormat.substr(0, kFormat.size() - 1)) +
                                         " only, and has changed nothing");
  }
  ShardIdentity identity;
  if (bytes.size() > kFormat.size() + sizeof(Digest)) {
    LoadingArchive archive(std::string_view(bytes).substr(
        kFormat.size(), bytes.size() - kFormat.size() - sizeof(Digest)));
    archive(identity);
    if (archive.complete() && Sealed(identity, hasher) == bytes && identity.shard == shard) {
      return identity;
    }
  }
  return Status(ErrorCode::kInput,
                path +
                    " is damaged or belongs to another shard. Without its keys no event of this "
                    "state can be found again, so it is not used");
}

}  // namespace

LogEnd LogEndFor(const CommitWatermark& mark) {
  return mark.file == CommitWatermark::File::kWhole ? LogEnd::kMayBeTorn : LogEnd::kMustBeWhole;
}

std::string RemarkOn(const CommitWatermark& mark, const std::string& shard_path) {
  if (mark.file == CommitWatermark::File::kWhole) return {};
  const bool is_missing = mark.file == CommitWatermark::File::kMissing;
  return shard_path + "/high-water is " + (is_missing ? "missing" : "damaged") +
         ": whether the last commits were lost can be told from the log of the database alone";
}

Status WithRemark(const Status& status, const CommitWatermark& mark,
                  const std::string& shard_path) {
  const std::string remark = RemarkOn(mark, shard_path);
  if (remark.empty() || status.ok()) return status;
  return {status.code(), status.message() + ". " + remark};
}

std::string ShardPath(const std::string& folder, ShardId shard) {
  return folder + "/" + std::string(kShardPrefix) + std::to_string(shard.value);
}

Result<ShardIdentity> ReadIdentity(const std::string& path, ShardId shard, const Hasher& hasher) {
  const std::string file = ShardPath(path, shard) + "/identity";
  const auto sealed = ReadWholeFile(file);
  if (!sealed.ok()) return sealed.status();
  return Unsealed(sealed.value().value_or(""), file, shard, hasher);
}

Result<std::unique_ptr<StateFolder>> StateFolder::Open(const std::string& path) {
  LETHE_RETURN_IF_ERROR(MakePrivateFolder(path));
  const std::string lock_path = path + "/lock";
  const int lock = open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) {
    return Status(ErrorCode::kDisk, "cannot write to " + path + ": " + std::strerror(errno));
  }
  auto folder = std::unique_ptr<StateFolder>(new StateFolder(path, lock));
  if (flock(lock, LOCK_EX | LOCK_NB) == 0) return folder;
  if (errno == EWOULDBLOCK) {
    return Status(ErrorCode::kInput,
                  path +
                      " is in use by another process. Two owners of one state would draw two "
                      "noises for one deletion; stop the other, or use another state.path");
  }
  return Status(ErrorCode::kDisk, "cannot lock " + lock_path + ": " + std::strerror(errno));
}

StateFolder::~StateFolder() { close(lock_); }

Result<std::vector<ShardId>> ShardsIn(const std::string& path) {
  std::vector<ShardId> shards;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path, error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(kShardPrefix, 0) != 0) continue;
    ShardId shard;
    const char* const end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + kShardPrefix.size(), end, shard.value);
    if (read.ec == std::errc() && read.ptr == end) shards.push_back(shard);
  }
  if (error) return Status(ErrorCode::kDisk, "cannot list " + path + ": " + error.message());
  std::sort(shards.begin(), shards.end());
  return shards;
}

bool IsStateFolder(const std::string& path) {
  const auto shards = ShardsIn(path);
  return shards.ok() && !shards.value().empty();
}

Status ReadChainIn(const std::string& path, ShardId shard, const ChainEntryVisitor& visit) {
  const auto store = RocksStore::OpenForReading(ShardPath(path, shard) + "/db");
  if (!store.ok()) return store.status();
  return ReadChain(*store.value(), 0, [&](std::uint64_t, ChainKind kind, std::string_view bytes) {
    return visit(kind, bytes);
  });
}

Result<std::unique_ptr<ShardFolder>> ShardFolder::Open(const StateFolder& folder, ShardId shard,
                                                       RandomSource& random, const Hasher& hasher) {
  auto opened = std::unique_ptr<ShardFolder>(new ShardFolder());
  const Status status = opened->Load(ShardPath(folder.path(), shard), shard, random, hasher);
  if (status.ok()) return opened;
  return Status(status.code(), "shard " + std::to_string(shard.value) + ": " + status.message());
}

ShardFolder::~ShardFolder() = default;

Status ShardFolder::Load(const std::string& path, ShardId shard, RandomSource& random,
                         const Hasher& hasher) {
  LETHE_RETURN_IF_ERROR(MakePrivateFolder(path));
  const std::string identity_path = path + "/identity";
  const auto sealed = ReadWholeFile(identity_path);
  if (!sealed.ok()) return sealed.status();
  if (sealed.value()) {
    const auto identity = Unsealed(*sealed.value(), identity_path, shard, hasher);
    if (!identity.ok()) return identity.status();
    identity_ = identity.value();
  } else {
    if (std::filesystem::exists(path + "/db")) {
      return {ErrorCode::kInput, identity_path + " is missing beside a database"};
    }
    is_new_ = true;
    identity_ = ShardIdentity::New(shard, random);
    LETHE_RETURN_IF_ERROR(WritePrivateFile(identity_path, Sealed(identity_, hasher)));
  }
  return OpenDatabase(path);
}

// The watermark is read before the database is opened, and checked by DurableState::Open. If its
// file is missing or damaged, the log must have no torn record; the watermark is then made anew
// from the number of commits in the database. Begin comes last, so a state that is refused keeps
// its file.
Status ShardFolder::OpenDatabase(const std::string& path) {
  const auto mark = ReadCommitWatermark(path + "/high-water");
  if (!mark.ok()) return mark.status();
  std::error_code ignored;
  // Without CURRENT, RocksDB would create a new database over the files of the old one.
  if (mark.value().written > 0 && !std::filesystem::exists(path + "/db/CURRENT", ignored)) {
    return {ErrorCode::kInput, "the state is damaged: " + path + "/db/CURRENT is missing"};
  }
  auto store = RocksStore::Open(path + "/db", LeaveOnDiskFailure, LogEndFor(mark.value()));
  if (!store.ok()) return WithRemark(store.status(), mark.value(), path);
  store_ = std::move(store).value();
  auto commits = DurableState::CommitsIn(*store_);
  if (!commits.ok()) return commits.status();
  if (commits.value() > 0) remark_ = RemarkOn(mark.value(), path);
  watermark_ = std::make_unique<CommitWatermarkFile>(
      path + "/high-water", remark_.empty() ? mark.value() : CommitWatermark::Of(commits.value()));
  auto state = DurableState::Open(*store_, watermark_.get());
  if (!state.ok()) return state.status();
  LETHE_RETURN_IF_ERROR(watermark_->Begin());
  state_ = std::move(state).value();
  state_->CommitInBackground();
  return Status::Ok();
}

}  // namespace lethe
