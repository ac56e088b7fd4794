// lethe_simulate: simulates shards, their broker, disks and clocks with faults, from one seed on,
// and checks what must never happen.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#include "tests/simulation/run.h"

namespace lethe::simulation {
namespace {

std::uint64_t current_seed = 0;  // for the handler of a failed check
int real_stderr = STDERR_FILENO;

extern "C" void OnAbort(int /*signal*/) {
  char text[64];
  const int size = std::snprintf(text, sizeof text, "a check of the program failed at seed %llu\n",
                                 static_cast<unsigned long long>(current_seed));
  if (write(real_stderr, text, static_cast<std::size_t>(size)) < 0) _exit(2);
  _exit(1);
}

// The product warns of what the simulation does to it. A failed check is reported by OnAbort.
void SilenceLog() {
  real_stderr = dup(STDERR_FILENO);
  const int nothing = open("/dev/null", O_WRONLY);
  if (nothing < 0 || real_stderr < 0) return;
  dup2(nothing, STDERR_FILENO);
  close(nothing);
  signal(SIGABRT, OnAbort);
}

struct Options {
  double seconds = 10;
  std::uint64_t seed = 1;
  bool is_one = false;  // one seed alone
  Defect defect = Defect::kNone;
};

int Usage() {
  std::cout << "Usage: lethe_simulate [--seconds N] [--seed S] [--only S] [--defect NAME]\n"
               "\n"
               "  --seconds N    how long to run; 10\n"
               "  --seed S       the first seed; 1\n"
               "  --only S       this seed alone\n"
               "  --defect NAME  plants a mistake, which is to be found:\n";
  for (int i = 1; i < static_cast<int>(Defect::kCount); ++i) {
    std::cout << "                   " << Name(static_cast<Defect>(i)) << "\n";
  }
  return 64;
}

bool Parse(int argc, char** argv, Options& options) {
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--seconds") {
      options.seconds = std::atof(value.c_str());
    } else if (name == "--seed" || name == "--only") {
      options.seed = std::strtoull(value.c_str(), nullptr, 10);
      options.is_one = name == "--only";
    } else if (name == "--defect") {
      for (int d = 1; d < static_cast<int>(Defect::kCount); ++d) {
        if (value == Name(static_cast<Defect>(d))) options.defect = static_cast<Defect>(d);
      }
      if (options.defect == Defect::kNone) return false;
    } else {
      return false;
    }
  }
  return argc % 2 == 1;
}

void Print(const Tally& tally, double seconds) {
  std::cout << tally.runs << " seeds in " << seconds << " s ("
            << static_cast<double>(tally.runs) / seconds << " a second), "
            << static_cast<double>(tally.simulated_ms) / 3.6e6 << " simulated hours\n"
            << tally.records << " records, of which " << tally.rerouted << " were passed on; "
            << tally.receipts << " receipts; " << tally.by_timer << " entries by the clock; "
            << tally.by_group << " receipts by group; " << tally.chains_equal << " chains and "
            << tally.models_equal << " models compared with a replay\n"
            << "took place: " << tally.crashes << " crashes, " << tally.power_cuts
            << " power cuts, " << tally.failures << " ends with an error\n"
            << "planned:";
  for (std::size_t i = 0; i < tally.ops.size(); ++i) {
    std::cout << " " << Name(static_cast<OpKind>(i)) << " " << tally.ops[i];
  }
  std::cout << "\n";
}

int Main(int argc, char** argv) {
  Options options;
  if (!Parse(argc, argv, options)) return Usage();
  SilenceLog();
  Tally tally;
  const auto start = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (std::uint64_t seed = options.seed;; ++seed) {
    current_seed = seed;
    const Script script = MakeScript(seed);
    const auto violation = RunScript(script, options.defect, tally);
    if (violation) {
      const Script smallest = Shrink(script, options.defect, *violation);
      Tally ignored;
      const auto again = RunScript(smallest, options.defect, ignored);
      std::cout << "FAILED at seed " << seed << ", the " << seed - options.seed + 1
                << ". of this run\nrule: " << violation->rule << "\n"
                << again->detail << "\n"
                << "The smallest script, " << smallest.ops.size() << " of " << script.ops.size()
                << " operations:\n"
                << Describe(smallest);
      Print(tally, elapsed());
      return 1;
    }
    if (options.is_one || elapsed() >= options.seconds) break;
  }
  Print(tally, elapsed());
  return 0;
}

}  // namespace
}  // namespace lethe::simulation

int main(int argc, char** argv) { return lethe::simulation::Main(argc, argv); }
