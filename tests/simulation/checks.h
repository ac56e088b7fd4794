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

// What the outside world has seen of a shard, and what a checker knows of it.
struct ShardFacts {
  explicit ShardFacts(Defect defect) : disk(defect) {}

  ShardIdentity identity;
  Disk disk;
  Journal journal;
  std::vector<Snapshot> snapshots;

  std::map<std::int64_t, std::string> chain;     // entries in the receipts topic
  std::int64_t last_entry = -1;                  // the one that arrived last
  std::map<std::string, std::string> receipts;   // by their id, as they were published
  std::map<std::int64_t, std::string> released;  // models, by version
  std::int64_t newest = -1;                      // released since the last power cut
  std::int64_t shown = -1;                       // by the running process, over HTTP
  std::int64_t model_sent = -1;                  // the newest one in the models topic
  std::int64_t clean_from = 0;                   // as the models topic says
  std::int64_t mark = -1;
  std::set<std::int64_t> dead_letters;  // offsets
};

// The rules that hold at any moment. A broken one is thrown as a Violation. Not thread-safe.
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
// A number or a text of a JSON object, after a key that occurs once; -1 or nothing if there is
// none.
std::int64_t NumberAfter(std::string_view json, std::string_view key);
std::string TextAfter(std::string_view json, std::string_view key);

}  // namespace lethe::simulation
