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

// The shards in a folder, in order.
Result<std::vector<ShardId>> ShardsIn(const std::string& path);

// The folder of a process's state. One owner at a time: a second one would draw noise of its own.
class StateFolder {
 public:
  // Makes the folder if it is not there (0700) and locks it. kInput: somebody else has it.
  static Result<std::unique_ptr<StateFolder>> Open(const std::string& path);
  ~StateFolder();
  StateFolder(const StateFolder&) = delete;
  StateFolder& operator=(const StateFolder&) = delete;

  const std::string& path() const { return path_; }
  // Those that are there, in order.
  Result<std::vector<ShardId>> Shards() const { return ShardsIn(path_); }

 private:
  StateFolder(std::string path, int lock) : path_(std::move(path)), lock_(lock) {}

  const std::string path_;
  const int lock_;
};

// Reading a state that may be in use.
std::string ShardPath(const std::string& folder, ShardId shard);
Result<ShardIdentity> ReadIdentity(const std::string& path, ShardId shard, const Hasher& hasher);
bool IsStateFolder(const std::string& path);
// With a whole high-water file the log may end in a torn commit, since the file tells which commits
// must be there. Without one, every byte of the log has to be right.
LogEnd LogEndFor(const CommitWatermark& mark);
// What is wrong with the high-water file of a shard; empty if nothing is.
std::string RemarkOn(const CommitWatermark& mark, const std::string& shard_path);
Status WithRemark(const Status& status, const CommitWatermark& mark, const std::string& shard_path);
// Every entry of a shard's chain, in order.
using ChainEntryVisitor = std::function<Status(ChainKind kind, std::string_view bytes)>;
Status ReadChainIn(const std::string& path, ShardId shard, const ChainEntryVisitor& visit);

// One shard's part of the folder: its identity (keys, readable by the owner only), its database,
// and how far the database must be.
//
//   shard-0/identity    shard-0/high-water    shard-0/db/
class ShardFolder {
 public:
  // Makes a new shard when there is none, with keys from `random`.
  static Result<std::unique_ptr<ShardFolder>> Open(const StateFolder& folder, ShardId shard,
                                                   RandomSource& random, const Hasher& hasher);
  ~ShardFolder();

  const ShardIdentity& identity() const { return identity_; }
  DurableState& state() { return *state_; }
  RocksStore& store() { return *store_; }
  bool is_new() const { return is_new_; }
  // What was found and made good at the start, for the operator to know; empty if nothing was.
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
