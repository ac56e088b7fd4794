#include <malloc.h>

#include <cstdio>
#include <exception>

#include "app/command_line.h"
#include "app/commands/command.h"
#include "app/exit_code.h"

namespace {

// Large pieces come from the system and go back to it. Otherwise, once RocksDB has freed a larger
// one, tables that grow would leave holes in the heap of their own size. What a commit takes and
// gives back stays in the heap for the next one: to get it anew, page by page, would take longer
// than the commit.
void TuneHeap() {
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  TuneHeap();
  lethe::CatchSignals();
  try {
    return lethe::RunCommandLine(argc, argv);
  } catch (const std::exception& error) {
    // Third-party exceptions are translated where they arise; one that gets here is our defect.
    std::fprintf(stderr, "lethe: internal error: %s\n", error.what());
    return lethe::ExitCode(lethe::ErrorCode::kInternal);
  }
}
