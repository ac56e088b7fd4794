#pragma once

#include <optional>
#include <string>

#include <yaml-cpp/node/node.h>

#include "app/config/errors.h"

namespace lethe::config {

// The one document in `text`, a mapping; the YAML library's exceptions become errors with line and
// column. None after reporting why: not text, not YAML, empty, not a mapping, or followed by more.
std::optional<YAML::Node> ParseYaml(const std::string& text, Errors& errors);

}  // namespace lethe::config
