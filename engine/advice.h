#pragma once

#include <string>
#include <vector>

#include "engine/modes/registry.h"

namespace lethe {

// What a user should know about a configuration that is allowed, before any data is seen: one
// sentence or two each, with what to do. For `lethe check` and `lethe plan`.
std::vector<std::string> Warnings(const Plan& plan);

}  // namespace lethe
