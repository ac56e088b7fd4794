#pragma once

#include <simdjson.h>

#include "engine/base/status.h"
#include "engine/spec/spec.h"

namespace lethe {

// Reads the member "features" of a model document, as WriteFeatures (engine/spec/features.h) writes
// it. kInput if it has another form, or a map that is not known: a row that is mapped in another
// way than the rows that were learned would get a wrong score. What depends on the model is left to
// CheckFeatures.
Status ReadModelFeatures(const simdjson::dom::element& document, FeaturesSpec& features);

}  // namespace lethe
