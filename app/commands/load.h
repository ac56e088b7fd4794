#pragma once

#include <string>

#include "app/config/loader.h"
#include "engine/base/status.h"
#include "engine/plan.h"

namespace lethe {

// What follows from a config that was read from `file`; errors name the file.
Result<Plan> MakePlan(const Config& config, const std::string& file, std::int64_t shards = 1);

// A config file, read and checked.
Result<Config> LoadChecked(const std::string& file);

}  // namespace lethe
