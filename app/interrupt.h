#pragma once

#include <string>

#include "engine/base/status.h"

// How a long command is stopped. All functions may be called from any thread.
namespace lethe {

// Set by the first Ctrl-C or SIGTERM: long work looks at it and stops cleanly. The second one ends
// the process at once.
bool Interrupted();
// The same without a signal, when a time that was asked for is over.
void Interrupt();
void CatchSignals();

// The status of work that was stopped by the user.
Status InterruptedStatus(const std::string& what);

}  // namespace lethe
