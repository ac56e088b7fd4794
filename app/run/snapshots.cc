#include "app/run/snapshots.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "state/store/private_file.h"

namespace lethe {
namespace {

Status Destroy(const std::string& path) {
  std::error_code error;
  std::filesystem::remove(path, error);
  if (!error) return Status::Ok();
  return {ErrorCode::kDisk, "cannot remove " + path + ": " + error.message()};
}

}  // namespace

std::vector<Snapshots::Snapshot> Snapshots::List() const {
  std::vector<Snapshot> all;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
    Snapshot snapshot{entry.path().string(), 0, {}};
    long long steps = 0;
    long long version = 0;
    if (std::sscanf(entry.path().filename().c_str(), "model-%lld-%lld.json", &steps, &version) !=
        2) {
      continue;
    }
    snapshot.steps = steps;
    snapshot.version = {version};
    all.push_back(snapshot);
  }
  std::sort(all.begin(), all.end(),
            [](const Snapshot& a, const Snapshot& b) { return a.version < b.version; });
  return all;
}

Status Snapshots::Add(std::int64_t steps, ModelVersion version, const std::string& model_json) {
  if (keep_ == 0) return Status::Ok();
  LETHE_RETURN_IF_ERROR(MakePrivateFolder(folder_));
  LETHE_RETURN_IF_ERROR(WritePrivateFile(
      folder_ + "/model-" + std::to_string(steps) + "-" + std::to_string(version.value) + ".json",
      model_json));
  const auto all = List();
  for (std::size_t i = 0; i + static_cast<std::size_t>(keep_) < all.size(); ++i) {
    LETHE_RETURN_IF_ERROR(Destroy(all[i].path));
  }
  return Status::Ok();
}

Status Snapshots::DestroyWith(EventIndex first) {
  for (const Snapshot& snapshot : List()) {
    if (snapshot.steps > first.value) LETHE_RETURN_IF_ERROR(Destroy(snapshot.path));
  }
  return Status::Ok();
}

Status Snapshots::DestroyBefore(ModelVersion version) {
  for (const Snapshot& snapshot : List()) {
    if (snapshot.version < version) LETHE_RETURN_IF_ERROR(Destroy(snapshot.path));
  }
  return Status::Ok();
}

}  // namespace lethe
