#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/receipts/chain.h"
#include "engine/base/status.h"
#include "engine/ports/hash.h"
#include "engine/ports/sink.h"
#include "engine/shard/recorded_decisions.h"

namespace lethe {

// The receipts and notices that an earlier run of a stream has written, for a replay that obeys
// their decisions. They say when requests waited, when they took effect, when the clock decided on
// an erasure, and which arrivals counted.
//
// With the same random source the replay must write the same bytes. Otherwise names and keys
// differ, and everything else must agree. Owns what it has read. Not thread-safe.
class RecordedChain {
 public:
  // Reads the folder of a replay, the state of a daemon, an export, or NDJSON with bare or signed
  // entries. Signatures are not verified. kCheckFailed if a chain is not whole; kInput if a file is
  // missing or an entry was written with another configuration. The message names the place.
  static Result<std::unique_ptr<RecordedChain>> Read(const std::string& path,
                                                     const std::string& config_sha256,
                                                     const Hasher& hasher);

  // As Read, for entries that were read already. `path` names where they are from.
  static Result<std::unique_ptr<RecordedChain>> From(const std::vector<ChainEntry>& entries,
                                                     const std::string& path,
                                                     const std::string& config_sha256);

  // The decisions of a shard, which the shard takes out one by one. Fails (kInput) if its chain is
  // that of another state, if the state of the replay is known before: with a seed it is.
  Result<RecordedDecisions*> Of(ShardId shard, const std::string& state, bool is_seeded);

  // Compares the next entry that a shard of the replay writes with the one that was recorded.
  // kInput if they differ.
  Status Compare(ShardId shard, std::string_view bytes);
  // Fails (kInput) if a recorded chain has more entries than the replay wrote.
  Status CheckEnd() const;

 private:
  struct Entry {
    std::string place;
    std::string bytes;
  };
  struct Chain {
    explicit Chain(std::string end) : decisions(std::move(end)) {}
    std::string state;
    bool is_same_state = false;
    std::vector<Entry> entries;
    std::size_t compared = 0;
    RecordedDecisions decisions;
  };

  explicit RecordedChain(std::string path) : path_(std::move(path)) {}
  Chain& ChainOf(ShardId shard) { return chains_.try_emplace(shard, path_).first->second; }

  std::string path_;
  std::map<ShardId, Chain> chains_;
};

}  // namespace lethe
