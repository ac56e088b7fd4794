#pragma once

#include <string>

#include <simdjson.h>

#include "engine/base/status.h"
#include "engine/spec/spec.h"

namespace lethe::config {

inline constexpr char kScaleFormat[] = "lethe.scale/1";

// Reads the file of means and deviations at `path`, such as
//
//   {"format": "lethe.scale/1", "public": false, "names": ["age", "fare"],
//    "mean": [29.7, 32.2], "deviation": [14.5, 49.7]}
//
// "names" are those of named features, and may be there for dense ones. A file that does not say
// "public": true counts as made from rows that may be deleted later. kConfig, beginning with the
// path, if the file cannot be used. What depends on the model is left to CheckFeatures
// (engine/spec/features.h).
Result<ScaleSpec> ReadScaleFile(const std::string& path);

// The same from an object that is parsed already, as it stands in a model document. Reads its
// sha256 as well. `scale.file` must be set: errors begin with it.
Status ReadScale(const simdjson::dom::object& members, ScaleSpec& scale);

}  // namespace lethe::config
