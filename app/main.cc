#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <exception>

#include "app/command_line.h"
#include "app/exit_code.h"
#include "app/interrupt.h"

namespace {

// Makes sure that standard input, output and error are open, if only as /dev/null. If the parent
// has closed one of them (`lethe run 2>&-`), the next file that is opened would get its number, and
// log lines would go into the lock file or into the state.
bool OpenStandardFiles() {
  int file = open("/dev/null", O_RDWR);
  while (file >= 0 && file <= 2) file = open("/dev/null", O_RDWR);
  // The first descriptor above 2 is not needed.
  return file > 2 && close(file) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (!OpenStandardFiles()) return lethe::ExitCode(lethe::ErrorCode::kDisk);
  lethe::CatchSignals();
  try {
    return lethe::RunCommandLine(argc, argv);
  } catch (const std::exception& error) {
    // Third-party exceptions are translated where they arise; one that gets here is our defect.
    std::fprintf(stderr, "lethe: internal error: %s\n", error.what());
    return lethe::ExitCode(lethe::ErrorCode::kInternal);
  }
}
