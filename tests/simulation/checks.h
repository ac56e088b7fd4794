#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/admission/pseudonymizer.h"
#include "engine/shard/shard.h"
#include "tests/simulation/broker.h"
#include "tests/simulation/disk.h"
#include "tests/simulation/spies.h"

namespace lethe::simulation {

// A rule that was broken.
struct Violation {
  std::string rule;
  std::string detail;
};

// A model in a file, which survives the process.
struct Snapshot {
  std::int64_t steps = 0;
  std::int64_t version = 0;
};

// What the outside world has seen of a shard. It survives the processes that run the shard.
struct ShardFacts {
  explicit ShardFacts(Defect defect) : disk(defect) {}

  ShardIdentity identity;
  Disk disk;
  Journal journal;
  std::vector<Snapshot> snapshots;

  std::map<std::int64_t, std::string> chain;     // entries in the receipts topic
  std::int64_t last_entry = -1;                  // the entry that arrived last
  std::map<std::string, std::string> receipts;   // by their id, as they were published
  std::map<std::int64_t, std::string> released;  // models, by version
  std::int64_t newest = -1;                      // the newest version since the last power cut
  std::int64_t shown = -1;                       // the version that the running process shows
  std::int64_t model_sent = -1;                  // the newest version in the models topic
  std::int64_t clean_from = 0;                   // the newest notice in the models topic
  std::int64_t mark = -1;                        // the newest marked version
  std::set<std::int64_t> dead_letters;           // offsets
};

// The rules that hold at any moment of a run. Its functions are called at the events that they are
// named after, and throw a Violation if a rule is broken. Owns the facts of the shards; borrows the
// setup and the hasher. Not thread-safe.
class Checks final : public ArrivalListener {
 public:
  Checks(const Setup& setup, Defect defect, const Hasher& hasher);

  ShardFacts& of(int shard) { return *shards_[static_cast<std::size_t>(shard)]; }

  // A message has arrived.
  void OnArrival(const Outgoing& message) override;
  // An entry of the chain is handed to the producer.
  void OnPublish(int shard, std::int64_t entry, ChainKind kind, std::string_view bytes,
                 const Broker& broker);
  // A model leaves the process.
  void OnRelease(const Shard& shard);
  // A commit is about to be written. `is_passing_on`: a request of this shard is on its way.
  void OnCommit(const Shard& shard, const Broker& broker, bool is_passing_on);
  // A process has started with this state. Returns the first entry that is to be published.
  std::int64_t OnStart(const Shard& shard, const DurableState& state);
  // A step is over.
  void OnStep(const Shard& shard, const Broker& broker) const;

  [[noreturn]] static void Fail(const std::string& rule, int shard, const std::string& detail);

 private:
  void CheckReceipt(int shard, std::string_view bytes);
  void CheckErased(int shard, std::string_view bytes, const Broker& broker);

  const Setup& setup_;
  const Hasher& hasher_;
  std::vector<std::unique_ptr<ShardFacts>> shards_;
};

// The model's numbers, bit by bit.
std::string Bits(const Vector& model);
// The number or the text after a key that occurs once in a JSON object; -1 or an empty text if the
// key is missing.
std::int64_t NumberAfter(std::string_view json, std::string_view key);
std::string TextAfter(std::string_view json, std::string_view key);

}  // namespace lethe::simulation
