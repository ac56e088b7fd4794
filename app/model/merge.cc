#include "app/model/merge.h"

#include <algorithm>
#include <set>

#include "engine/base/check.h"

namespace lethe {
namespace {

Status Bad(const std::string& path, const std::string& why) {
  return {ErrorCode::kInput, path + ": " + why};
}

Status CheckTogether(const std::vector<ModelFile>& files) {
  std::set<ShardId> seen;
  for (const ModelFile& file : files) {
    const ModelFile& first = files.front();
    if (file.config_sha256 != first.config_sha256 || file.weights.size() != first.weights.size() ||
        file.loss != first.loss || file.hash_bits != first.hash_bits ||
        file.classes != first.classes || file.class_names != first.class_names) {
      return Bad(file.path, "is of another configuration than " + first.path);
    }
    for (const ShardModel& shard : file.shards) {
      if (seen.insert(shard.shard).second) continue;
      return Bad(file.path, "shard " + std::to_string(shard.shard.value) +
                                " is in another file too, and would count twice");
    }
  }
  return Status::Ok();
}

}  // namespace

Result<std::string> MergeModels(std::vector<ModelFile> files, const Hasher& hasher) {
  LETHE_CHECK(!files.empty());
  LETHE_RETURN_IF_ERROR(CheckTogether(files));
  // Sums in floating point depend on the order, so the files are sorted by shard.
  std::sort(files.begin(), files.end(), [](const ModelFile& a, const ModelFile& b) {
    return a.shards.front().shard < b.shards.front().shard;
  });
  std::vector<ShardModel> parts;
  std::vector<ShardModel> shards;
  for (const ModelFile& file : files) {
    ShardModel part;
    part.learned = file.learned;
    part.weights = &file.weights;
    parts.push_back(part);
    shards.insert(shards.end(), file.shards.begin(), file.shards.end());
  }
  std::sort(shards.begin(), shards.end(),
            [](const ShardModel& a, const ShardModel& b) { return a.shard < b.shard; });
  return ModelJson(PipelineInfoOf(files.front()), AverageModels(parts), shards, hasher);
}

}  // namespace lethe
