#include <cstdio>
#include <exception>

#include "app/command_line.h"
#include "app/commands/command.h"
#include "app/exit_code.h"

int main(int argc, char** argv) {
  lethe::CatchSignals();
  try {
    return lethe::RunCommandLine(argc, argv);
  } catch (const std::exception& error) {
    // Third-party exceptions are translated where they arise; one that gets here is our defect.
    std::fprintf(stderr, "lethe: internal error: %s\n", error.what());
    return lethe::ExitCode(lethe::ErrorCode::kInternal);
  }
}
