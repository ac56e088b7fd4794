#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/pipeline/router.h"
#include "tests/simulation/broker.h"
#include "tests/simulation/checks.h"
#include "tests/simulation/clock.h"
#include "tests/simulation/worker.h"

namespace lethe::simulation {

// A machine and the process on it, which runs some of the shards. It dies, and is started again by
// the next step of one of its shards. Borrows the world. One thread.
class Process {
 public:
  Process(int number, World& world);
  ~Process();

  bool is_alive() const { return !workers_.empty(); }
  MachineClock& clock() { return clock_; }

  // Dies at the `calls`-th call of a port from now on.
  void DieAt(std::int64_t calls, bool cuts_power);
  void RefuseNextLetter() { refuses_letter_ = true; }
  // From now on nothing fails.
  void Repair();
  // Everything that it has sent arrives.
  void Flush() { world_.broker.Flush(number_); }

  // One step of a shard. Starts the process before, if it is dead.
  void Step(int shard, std::int64_t records, std::uint64_t seed);
  // Ends the process in order, if it is alive.
  void Stop(std::uint64_t seed);

  const Worker& worker(int shard) const { return *workers_.at(shard); }
  // Deaths, by kind, and ends with an error.
  std::int64_t crashes() const { return crashes_; }
  std::int64_t power_cuts() const { return power_cuts_; }
  std::int64_t failures() const { return failures_; }

 private:
  friend class Worker;

  struct Death {};
  struct Failure {
    int shard;
    Status status;
  };

  // A call of a port: the process may die here.
  void Point();
  Dice& dice() { return dice_; }
  // Lets other shards answer while one waits.
  void GiveWay();
  void Start();
  void RunOn(int shard, std::int64_t records);
  template <typename Action>
  void Guarded(Action action);
  void StopOthers(int failed);
  void Die(bool cuts_power);
  RouterPorts Ports();

  const int number_;
  World& world_;
  MachineClock clock_;
  Config config_;
  Dice dice_{0};
  std::unique_ptr<Router> router_;
  std::map<int, std::unique_ptr<Worker>> workers_;
  std::vector<int> busy_;  // shards that are in a step, which gave way
  std::int64_t die_in_ = 0;
  bool cuts_power_ = false;
  bool refuses_letter_ = false;
  bool has_started_ = false;
  bool is_stopping_ = false;
  Status failure_;  // a message that can never arrive
  std::int64_t passed_on_ = 0;
  std::int64_t letters_ = 0;
  std::int64_t crashes_ = 0;
  std::int64_t power_cuts_ = 0;
  std::int64_t failures_ = 0;
};

}  // namespace lethe::simulation
