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

// A simulated machine with the process on it, which runs some of the shards. After a death the next
// step of one of its shards starts it again. Owns the workers; borrows the world. Not thread-safe.
class Process {
 public:
  Process(int number, World& world);
  ~Process();

  bool is_alive() const { return !workers_.empty(); }
  MachineClock& clock() { return clock_; }

  // Makes the process die at the `calls`-th call of a port from now on.
  void DieAt(std::int64_t calls, bool cuts_power);
  // Makes the topic refuse the next dead letter for ever.
  void RefuseNextLetter() { refuses_letter_ = true; }
  // From now on nothing fails.
  void Repair();
  // Every message of the process arrives.
  void Flush() { world_.broker.Flush(number_); }

  // Runs one step of a shard, after a start if the process is dead.
  void Step(int shard, std::int64_t records, std::uint64_t seed);
  // Ends the process in order, if it is alive.
  void Stop(std::uint64_t seed);

  const Worker& worker(int shard) const { return *workers_.at(shard); }
  // How often the process crashed, lost power, and ended with an error.
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

  // Called at each call of a port. Throws Death if the process dies here.
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
  std::vector<int> busy_;  // shards whose step waits for answers of others
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
