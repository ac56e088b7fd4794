#include "app/interrupt.h"

#include <atomic>
#include <csignal>
#include <cstdlib>

namespace lethe {
namespace {

std::atomic<int> interrupted = 0;
static_assert(std::atomic<int>::is_always_lock_free);  // a signal handler may not wait

extern "C" void OnSignal(int signal) {
  if (interrupted != 0) std::_Exit(128 + signal);
  interrupted = signal;
}

}  // namespace

bool Interrupted() { return interrupted != 0; }
void Interrupt() { interrupted = SIGINT; }

void CatchSignals() {
  // Without SA_RESTART: a read that waits for a silent pipe or terminal must end, or the first
  // Ctrl-C would change nothing.
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // A closed pipe (`lethe generate | head`) is an error from write, not a death without a word.
  std::signal(SIGPIPE, SIG_IGN);
}

Status InterruptedStatus(const std::string& what) {
  return {ErrorCode::kInterrupted, "interrupted: " + what};
}

}  // namespace lethe
