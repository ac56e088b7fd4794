#pragma once

#include <string>

namespace lethe {

// The JSON Schema (draft 7) of a configuration file, for editors. It has exactly the keys that the
// loader knows, and no rule about several keys at once. configs/lethe.schema.json is this text.
std::string SchemaJson();

}  // namespace lethe
