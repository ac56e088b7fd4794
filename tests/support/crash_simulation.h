#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/shard/rewind_pacer.h"
#include "state/durable_state.h"
#include "state/store/memory_store.h"
#include "tests/support/fakes.h"
#include "tests/support/record_feeder.h"

// A shard that is killed and started again, over a disk and a topic of receipts that survive.
namespace lethe::testing {

// Records of all kinds from a seed: learns with and without ids, repeats, deletes by id and by
// subject, updates, records that are refused, and timestamps that jump.
std::vector<Record> RandomRecords(std::uint64_t seed, std::size_t count, Eigen::Index dimension);

// When the simulated process commits: every `every` records, and for news after `news_waits`
// records.
struct CommitTiming {
  std::size_t every = 100;
  std::size_t news_waits = 1;
};

// A shard over a disk and a receipts topic that survive its deaths. Borrows the plan, the random
// source and the hasher. Not thread-safe.
class CrashSimulation {
 public:
  static constexpr std::size_t kNever = SIZE_MAX;

  CrashSimulation(const Plan& plan, RandomSource& random, const Hasher& hasher)
      : plan_(plan), random_(random), hasher_(hasher) {}

  // Runs over all records. In each life the process dies at the write number `crash_every` + 1 to
  // the disk or the topic: before the write, or right after it if `after`. Returns how often it
  // died.
  std::size_t Run(const std::vector<Record>& records, const CommitTiming& policy,
                  std::size_t crash_every, bool after);

  // From now on rewinds are spread by a clock, which goes on by a millisecond or two with each
  // record and decides after some of them.
  void SetPace(const RewindPolicy& pace) { pace_ = pace; }
  // From now on the shard obeys these decisions. Borrows them. For a run without crashes.
  void Obey(RecordedDecisions* decisions) { decisions_ = decisions; }

  std::size_t writes() const { return writes_; }
  const std::vector<std::string>& topic() const { return topic_; }
  std::string Part(lethe::Part part) const;
  Vector model() const;

 private:
  struct Life;
  struct Death {};

  // Counts a write; throws Death when the process dies there. `apply` is the write.
  template <typename Apply>
  void Write(Apply apply);

  const Plan& plan_;
  RandomSource& random_;
  const Hasher& hasher_;
  RewindPolicy pace_;
  RecordedDecisions* decisions_ = nullptr;
  std::int64_t now_ms_ = 0;
  MemoryStore disk_;
  std::vector<std::string> topic_;
  std::size_t writes_ = 0;
  std::size_t since_crash_ = 0;
  std::size_t crash_every_ = kNever;
  bool after_ = false;
};

}  // namespace lethe::testing
