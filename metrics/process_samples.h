#pragma once

#include "metrics/families.h"

namespace lethe {

// The process_* metrics, from /proc. What cannot be read is left out.
void AddProcess(Families& families);

}  // namespace lethe
