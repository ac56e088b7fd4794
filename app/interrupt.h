#pragma once

#include <string>

#include "engine/base/status.h"

// The stop of a long command by a signal. All functions may be called from any thread.
namespace lethe {

// True from the first Ctrl-C or SIGTERM on. Long work asks for it and stops cleanly. A second
// signal ends the process at once.
bool Interrupted();
// Makes Interrupted() true without a signal, for example when the time of a demonstration is over.
void Interrupt();
// Installs the signal handlers. To be called once, before the process has threads.
void CatchSignals();

// kInterrupted, with a message that says what was stopped.
Status InterruptedStatus(const std::string& what);

}  // namespace lethe
