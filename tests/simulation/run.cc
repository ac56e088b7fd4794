#include "tests/simulation/run.h"

#include <memory>
#include <vector>

#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "tests/simulation/final_checks.h"
#include "tests/simulation/process.h"

namespace lethe::simulation {
namespace {

constexpr int kMostRounds = 400;
constexpr int kQuietRounds = 7;

class Runner {
 public:
  Runner(const Script& script, const Plan& plan, Defect defect)
      : script_(script),
        seeded_(script.seed),
        fresh_(script.seed),
        world_(script.setup, plan, defect, hasher_,
               script.setup.is_repeatable ? static_cast<RandomSource&>(seeded_) : fresh_) {
    SeededRandom identities(script.seed ^ 0x5eed);
    for (int i = 0; i < script.setup.partitions; ++i) {
      world_.checks.of(i).identity = ShardIdentity::New({i}, identities);
    }
    for (int i = 0; i < script.setup.processes; ++i) {
      processes_.push_back(std::make_unique<Process>(i, world_));
    }
  }

  void Run(Tally& tally) {
    for (const Op& op : script_.ops) {
      ++tally.ops[static_cast<std::size_t>(op.kind)];
      Apply(op);
    }
    ComeToRest();
    FinalChecks checks(world_, seeded_);
    for (int i = 0; i < script_.setup.partitions; ++i) {
      checks.Check(of(i).worker(i).shard(), of(i).worker(i).state(), tally);
    }
    checks.CheckForgotten(tally);
    Restart();
    for (const auto& process : processes_) {
      tally.crashes += process->crashes();
      tally.power_cuts += process->power_cuts();
      tally.failures += process->failures();
    }
    ++tally.runs;
    tally.simulated_ms += world_.time.ns / WorldTime::kMs;
  }

 private:
  Process& of(int partition) {
    return *processes_[static_cast<std::size_t>(script_.setup.process_of(partition))];
  }

  void Apply(const Op& op) {
    Process& process = *processes_[static_cast<std::size_t>(op.target % script_.setup.processes)];
    Dice dice(op.seed);
    switch (op.kind) {
      case OpKind::kProduce:
        for (int i = 0; i < op.message.copies; ++i) {
          world_.broker.Append(op.message.partition, op.message, false, dice);
        }
        break;
      case OpKind::kStep: of(op.target).Step(op.target, op.amount, op.seed); break;
      case OpKind::kAdvance: world_.time.AdvanceMs(op.amount); break;
      case OpKind::kJump: process.clock().Jump(op.amount); break;
      case OpKind::kCrash: process.DieAt(op.amount, false); break;
      case OpKind::kPowerCut: process.DieAt(op.amount, true); break;
      case OpKind::kStop: process.Stop(op.seed); break;
      case OpKind::kRefuseCommit:
        world_.checks.of(op.target).disk.FailNextCommit(Disk::Fault::kRefuse);
        break;
      case OpKind::kFailCommit:
        world_.checks.of(op.target).disk.FailNextCommit(Disk::Fault::kFail);
        break;
      case OpKind::kFailErasure: world_.checks.of(op.target).disk.FailNextErasure(); break;
      case OpKind::kBrokerAway: world_.broker.GoAway(op.amount); break;
      case OpKind::kRefuseLetter: process.RefuseNextLetter(); break;
      case OpKind::kArrive: world_.broker.ArriveLate(); break;
      case OpKind::kCount: break;
    }
  }

  // Nothing fails any more, and everything is read, answered, served and erased.
  void ComeToRest() {
    world_.broker.ComeBack();
    world_.broker.ArriveLate();
    for (const auto& process : processes_) process->Repair();
    for (int i = 0; i < script_.setup.partitions; ++i) world_.checks.of(i).disk.Repair();
    Dice dice(script_.seed);
    int quiet = 0;
    for (int round = 0; round < kMostRounds && quiet < kQuietRounds; ++round) {
      world_.time.AdvanceMs(40'000);
      for (int i = 0; i < script_.setup.partitions; ++i) of(i).Step(i, 50, dice.Next());
      quiet = IsQuiet() ? quiet + 1 : 0;
    }
    if (quiet < kQuietRounds) throw Violation{"the run comes to rest", "it goes on and on"};
    for (const auto& process : processes_) process->Flush();
  }
  bool IsQuiet() {
    for (int i = 0; i < script_.setup.partitions; ++i) {
      if (!of(i).is_alive()) return false;
      const Worker& worker = of(i).worker(i);
      if (!worker.is_quiet() || worker.shard().next() < world_.broker.End(i)) return false;
    }
    return true;
  }

  // What is on disk is what was in memory.
  void Restart() {
    std::vector<std::string> before;
    for (int i = 0; i < script_.setup.partitions; ++i) {
      before.push_back(Bits(of(i).worker(i).shard().unlearner().model()));
    }
    for (const auto& process : processes_) process->Stop(script_.seed);
    for (int i = 0; i < script_.setup.partitions; ++i) {
      of(i).Step(i, 0, script_.seed);
      if (Bits(of(i).worker(i).shard().unlearner().model()) ==
          before[static_cast<std::size_t>(i)]) {
        continue;
      }
      Checks::Fail("a restart has the same model", i, "it has another");
    }
  }

  const Script& script_;
  SodiumHasher hasher_;
  SeededRandom seeded_;
  FreshRandom fresh_;
  World world_;
  std::vector<std::unique_ptr<Process>> processes_;
};

std::optional<Violation> Attempt(const Script& script, Defect defect) {
  Tally ignored;
  return RunScript(script, defect, ignored);
}

}  // namespace

std::optional<Violation> RunScript(const Script& script, Defect defect, Tally& tally) {
  const auto plan = Plan::Make(script.setup.spec, script.setup.partitions);
  if (!plan.ok()) return Violation{"the setup makes sense", plan.status().message()};
  try {
    Runner(script, plan.value(), defect).Run(tally);
  } catch (const Violation& violation) {
    return violation;
  }
  return std::nullopt;
}

Script Shrink(const Script& script, Defect defect, const Violation& violation) {
  Script smallest = script;
  const auto still_fails = [&](const Script& candidate) {
    const auto found = Attempt(candidate, defect);
    return found && found->rule == violation.rule;
  };
  for (std::size_t chunk = smallest.ops.size() / 2; chunk > 0;) {
    bool has_shrunk = false;
    for (std::size_t at = 0; at < smallest.ops.size();) {
      Script candidate = smallest;
      const std::size_t end = std::min(at + chunk, candidate.ops.size());
      candidate.ops.erase(candidate.ops.begin() + static_cast<std::ptrdiff_t>(at),
                          candidate.ops.begin() + static_cast<std::ptrdiff_t>(end));
      if (still_fails(candidate)) {
        smallest = std::move(candidate);
        has_shrunk = true;
      } else {
        at = end;
      }
    }
    if (!has_shrunk || chunk > 1) chunk /= 2;
  }
  return smallest;
}

}  // namespace lethe::simulation
