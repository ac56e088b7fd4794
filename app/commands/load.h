#pragma once

#include <string>

#include "app/config/loader.h"
#include "engine/base/status.h"
#include "engine/plan.h"

namespace lethe {

// The plan of a config that was read from `file`. kConfig, naming the file, if it is refused.
Result<Plan> MakePlan(const Config& config, const std::string& file, std::int64_t shards = 1);

// Reads and checks a config file. kConfig with one line for each error.
Result<Config> LoadChecked(const std::string& file);

}  // namespace lethe
