#pragma once

#include "engine/base/status.h"

namespace lethe {

// The exit code of the process for an error code (sysexits.h, and docs/cli.md).
inline int ExitCode(ErrorCode code) {
  switch (code) {
    case ErrorCode::kOk: return 0;
    case ErrorCode::kCheckFailed: return 1;
    case ErrorCode::kUsage: return 64;
    case ErrorCode::kInput: return 65;
    case ErrorCode::kUnavailable: return 69;
    case ErrorCode::kInternal: return 70;
    case ErrorCode::kDisk: return 74;
    case ErrorCode::kConfig: return 78;
    case ErrorCode::kInterrupted: return 130;
  }
  return 70;
}

}  // namespace lethe
