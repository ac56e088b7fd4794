#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "connectors/system/sodium_hash.h"
#include "engine/shard/shard.h"
#include "state/memory_state.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/fakes.h"
#include "tests/support/proof_linear.h"

namespace lethe::proof {

// A script whose requests wait: a shard decides when they take effect, which of them one draw
// serves, and how much noise that is. The noise is booked and not drawn.
class WaitingScript final : public Probe {
 public:
  explicit WaitingScript(const Spec& spec);

  std::int64_t Learn(const Vector& x, double y, std::optional<std::uint64_t> subject = {});
  // One request for one event.
  void Ask(std::int64_t index);
  // Event time goes on.
  void Wait(std::int64_t ms) { now_ms_ += ms; }

  // Requests that are still waiting are left out: nothing is promised about them yet.
  LinearRun Take() && { return {std::move(script_), std::move(sigmas_)}; }

  const Script& script() const { return script_; }
  bool HasWaiting() const { return shard_->waiting() > 0; }

 private:
  void OnEffective(ShardId shard, std::span<const Target> batch,
                   const Forgetting& forgetting) override;
  void Feed(EventKind kind, std::int64_t index, const Vector& x, double y,
            std::optional<std::uint64_t> subject);

  Script script_;
  Plan plan_;
  std::vector<double> sigmas_;
  std::int64_t now_ms_ = 1000;
  std::int64_t offset_ = 0;
  MemoryState state_;
  MemoryPayloads payloads_;
  testing::RecordingSink sink_;
  SodiumHasher hasher_;
  KeyedRandom random_{0};
  std::unique_ptr<Shard> shard_;
  CommitSteps hooks_;
};

// How requests may wait.
enum class Waiting { kDeadlineEvents, kDeadlineTime, kWindowEvents, kWindowTime, kWindowDeadline };

// Passive, from the family of RandomLinearRun, with requests that wait; sometimes until the noise
// is small. None if the run leaves the regime.
std::optional<LinearRun> RandomWaitingRun(Dice& dice, Waiting waiting);

// The worst case, as TightLinearRun: the curve's bound is attained at every draw.
LinearRun TightWaitingRun(Dice& dice, Waiting waiting);

// mode active, variant ledger: descents for one request while another one waits, whose payload is
// gone.
LinearRun WaitingDescentRun(Dice& dice, Waiting waiting);

}  // namespace lethe::proof
