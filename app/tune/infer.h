#pragma once

#include <vector>

#include "app/config/config.h"
#include "engine/base/status.h"
#include "engine/ports/event.h"

namespace lethe {

// A configuration for a stream that has none: features, loss and classes, bounds of the features,
// labels and weights, as the records have them; everything else is the default. kInput if no record
// is a learn event.
Result<Config> InferConfig(const std::vector<Record>& records);

}  // namespace lethe
