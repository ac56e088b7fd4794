#pragma once

#include <cstdint>
#include <string>

#include "engine/admission/pseudonymizer.h"
#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/ports/hash.h"
#include "engine/shard/counters.h"

namespace lethe {

// The figures of a shard, for a process that does not own it. A plain value, as of one commit.
struct ShardSummary {
  ShardId shard;
  Uuid state{};
  std::uint64_t commits = 0;
  Counters counters;
  Offset next;
  std::uint64_t chain_entries = 0;
  // The engine's own record of its chain: the number of entries, and the SHA-256 of the last one.
  std::int64_t known_entries = 0;
  std::string chain_head;
  std::int64_t unerased = 0;  // deleted events whose bytes may still be on disk
  std::int64_t bytes = 0;     // of all files of the shard
  std::string folder;
  std::string remark;  // what the next start will repair, as a sentence; empty if nothing
};

// Reads a shard, also while its owner is running, and changes nothing. With `verify`, checks what a
// start checks: every checksum, and that no commit is missing. kInput: the shard is damaged.
// kUnavailable: the owner replaced files all the time; ask again.
Result<ShardSummary> SummariseShard(const std::string& path, ShardId shard, const Hasher& hasher,
                                    bool verify);

}  // namespace lethe
