#pragma once

#include <string>

namespace lethe {

// The JSON Schema (draft 7) of a configuration file, for editors: exactly the keys that the loader
// knows. What concerns several keys at once is not in it. configs/lethe.schema.json is this text.
std::string SchemaJson();

}  // namespace lethe
