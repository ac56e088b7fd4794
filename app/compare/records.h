#pragma once

#include <limits>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/ports/event.h"

namespace lethe {

// The records of the recorded stream at `path` (- is stdin), up to the `most`-th learn event. Fails
// as RecordedStream does, and with kInterrupted after a signal.
Result<std::vector<Record>> ReadRecords(
    const std::string& path, std::int64_t most = std::numeric_limits<std::int64_t>::max());

}  // namespace lethe
