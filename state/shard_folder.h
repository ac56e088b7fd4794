#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/admission/pseudonymizer.h"
#include "engine/base/status.h"
#include "engine/ports/hash.h"
#include "engine/ports/random.h"
#include "state/commit_watermark.h"
#include "state/durable_state.h"
#include "state/store/rocks_store.h"

namespace lethe {

// The shards in a state folder, in order of id. kDisk: the folder cannot be listed.
Result<std::vector<ShardId>> ShardsIn(const std::string& path);

// The folder of a process's state, locked. Only one process may own it: a second owner would draw a
// second noise for the same deletion. Thread-safe, since it never changes. It owns the lock
// (flock), which ends with the object or the process, and must outlive the use of its shards.
class StateFolder {
 public:
  // Creates the folder (0700) if it does not exist, and locks it. kInput: another process owns it.
  // kDisk: it cannot be used.
  static Result<std::unique_ptr<StateFolder>> Open(const std::string& path);
  ~StateFolder();
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;

  const std::string& path() const { return path_; }
  // As ShardsIn.
  Result<std::vector<ShardId>> Shards() const { return ShardsIn(path_); }

 private:
  StateFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  const std::string path_;
  const int lock_;
};

// The functions below read a state that another process may own. They change nothing.

// The folder of a shard.
std::string ShardPath(const std::string& folder, ShardId shard);
// kInput: the file is missing or damaged, or has another format or another shard.
Result<ShardIdentity> ReadIdentity(const std::string& path, ShardId shard, const Hasher& hasher);
// Whether the folder has a shard.
bool IsStateFolder(const std::string& path);
// How the log of a database with this watermark must be read. With a watermark, the log may end in
// a torn commit, since the watermark says which commits must be there. Without one, nobody could
// tell a torn commit from a lost one, so the log must have no torn record.
LogEnd LogEndFor(const CommitWatermark& mark);
// A sentence for the operator if the watermark's file is missing or damaged; empty otherwise.
std::string RemarkOn(const CommitWatermark& mark, const std::string& shard_path);
// Adds that sentence to an error. Ok stays ok.
Status WithRemark(const Status& status, const CommitWatermark& mark, const std::string& shard_path);
// Visits every entry of a shard's chain, in order. Errors are those of RocksStore::OpenForReading
// and ReadChain.
using ChainEntryVisitor = std::function<Status(ChainKind kind, std::string_view bytes)>;
Status ReadChainIn(const std::string& path, ShardId shard, const ChainEntryVisitor& visit);

// The folder of one shard: its identity, which has its secret keys, its database, and the watermark
// of its commits. Not thread-safe. It owns the store and the state; references to them end with it.
// The StateFolder must outlive it.
//
//   shard-0/identity    shard-0/high-water    shard-0/db/
class ShardFolder {
 public:
  // Opens a shard as its owner, and creates it, with keys from `random`, if it does not exist.
  // kInput: the shard is damaged, or its format is not known. kDisk: the disk refused.
  static Result<std::unique_ptr<ShardFolder>> Open(const StateFolder& folder, ShardId shard,
                                                   RandomSource& random, const Hasher& hasher);
  ~ShardFolder();

  const ShardIdentity& identity() const { return identity_; }
  DurableState& state() { return *state_; }
  RocksStore& store() { return *store_; }
  // Whether Open has created the shard.
  bool is_new() const { return is_new_; }
  // A sentence for the operator about something that Open has repaired; empty if there was nothing.
  const std::string& remark() const { return remark_; }

 private:
  ShardFolder() = default;
  Status Load(const std::string& path, ShardId shard, RandomSource& random, const Hasher& hasher);
  Status OpenDatabase(const std::string& path);

  bool is_new_ = false;
  std::string remark_;
  ShardIdentity identity_;
  std::unique_ptr<CommitWatermarkFile> watermark_;
  std::unique_ptr<RocksStore> store_;
  std::unique_ptr<DurableState> state_;
};

}  // namespace lethe
