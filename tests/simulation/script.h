#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/shard/rewind_pacer.h"
#include "engine/spec/spec.h"

// The script of a simulated run. Everything follows from one seed. Each operation carries the seed
// of its own random decisions, so that the other operations of a script are not changed when some
// are removed.
namespace lethe::simulation {

enum class EventType { kLearn, kUpdate, kDelete, kBad };

// A record that a producer sends.
struct Message {
  EventType type = EventType::kLearn;
  int partition = 0;
  std::optional<std::string> key;
  std::optional<std::string> id;
  std::optional<std::string> subject;  // whose event it is, or who is to be forgotten
  std::string value;
  std::int64_t delay_ms = 0;  // how far its timestamp is behind the time when it is sent
  int copies = 1;             // a producer that got no acknowledgement sends again
};

enum class OpKind {
  kProduce,       // message
  kStep,          // shard `target` takes up to `amount` records
  kAdvance,       // `amount` milliseconds pass
  kJump,          // the wall clock of machine `target` jumps by `amount` milliseconds
  kCrash,         // process `target` dies at its `amount`-th call of a port
  kPowerCut,      // as kCrash, and its machine loses commits that were not synced
  kStop,          // process `target` is stopped in order
  kRefuseCommit,  // the next commit of shard `target` is refused by the disk
  kFailCommit,    // the next commit of shard `target` is written, and reported as failed
  kFailErasure,   // the next erasure of shard `target` fails
  kBrokerAway,    // no broker answers for `amount` milliseconds
  kRefuseLetter,  // the topic never takes the next dead letter of process `target`
  kArrive,        // messages of dead processes that were on their way arrive
  kCount,
};
const char* Name(OpKind kind);

// One operation.
struct Op {
  OpKind kind = OpKind::kStep;
  int target = 0;
  std::int64_t amount = 0;
  std::uint64_t seed = 0;
  Message message = {};
};

// The settings of a whole run.
struct Setup {
  int partitions = 2;
  int processes = 1;
  Spec spec;
  bool is_repeatable = true;  // randomness is a function of the position in the stream
  std::int64_t commit_records = 8;
  std::int64_t commit_every_ms = 100;
  std::int64_t models_every_ms = 1000;
  std::int64_t snapshot_every = 5;
  RewindPolicy rewinds;
  bool gaps = false;  // offsets have gaps, as transactions leave them

  int process_of(int partition) const { return partition % processes; }
};

struct Script {
  std::uint64_t seed = 0;
  Setup setup;
  std::vector<Op> ops;
};

// A random script; a function of the seed alone.
Script MakeScript(std::uint64_t seed);

// A line for each operation, and one for the setup.
std::string Describe(const Script& script);

}  // namespace lethe::simulation
