#pragma once

#include "metrics/families.h"

namespace lethe {

// Adds the process_* metrics, read from /proc. A metric that cannot be read is left out.
// Thread-safe.
void AddProcess(Families& families);

}  // namespace lethe
