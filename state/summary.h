#pragma once

#include <cstdint>
#include <string>

#include "engine/admission/pseudonymizer.h"
#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/ports/hash.h"
#include "engine/shard/counters.h"

namespace lethe {

// A shard of a state, as somebody who does not own it sees it. Also while it is in use.
struct ShardSummary {
  ShardId shard;
  Uuid state{};
  std::uint64_t commits = 0;
  Counters counters;
  Offset next;
  std::uint64_t chain_entries = 0;
  // What the engine itself remembers of its chain: so many entries, and the SHA-256 of the last.
  std::int64_t known_entries = 0;
  std::string chain_head;
  std::int64_t unerased = 0;  // deleted events whose bytes may still be on disk
  std::int64_t bytes = 0;     // of all its files
  std::string folder;
  std::string remark;  // what the next start makes good, in words; empty if nothing
};

// kInput: damaged. With `verify`, what a start checks is checked: every checksum, and whether
// commits are missing.
Result<ShardSummary> SummariseShard(const std::string& path, ShardId shard, const Hasher& hasher,
                                    bool verify);

}  // namespace lethe
