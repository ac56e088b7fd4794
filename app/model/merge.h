#pragma once

#include <string>
#include <vector>

#include "app/model/model_file.h"
#include "engine/base/status.h"
#include "engine/ports/hash.h"

namespace lethe {

// The average of the models, weighted by the number of learned events, as one document. The order
// of the files does not matter. With one shard per file, the result is bit for bit the model that
// one process with all these shards serves. kInput if the files have different configurations, or
// if a shard is in two files.
Result<std::string> MergeModels(std::vector<ModelFile> files, const Hasher& hasher);

}  // namespace lethe
