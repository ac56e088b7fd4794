#pragma once

#include <optional>
#include <string>

#include <yaml-cpp/node/node.h>

#include "app/config/errors.h"

namespace lethe::config {

// The single document in `text`, which must be a mapping. Exceptions of the YAML library become
// errors with line and column. Returns none after adding an error if the text is not UTF-8, not
// YAML, empty, not a mapping, or has a second document.
std::optional<YAML::Node> ParseYaml(const std::string& text, Errors& errors);

}  // namespace lethe::config
