#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// The snapshots of a shard: copies of its model in files, for people who want to look back. No
// command restores one: a state that went back would draw noise a second time. A snapshot that knew
// a deleted event is destroyed when the deletion becomes effective.
//
// Not thread-safe. kDisk if a file cannot be written or removed; then the shard must stop, because
// a model that has to go may still be there.
class Snapshots {
 public:
  // The folder is made with the first snapshot. The newest `keep` are kept; 0 makes none.
  Snapshots(std::string folder, std::int64_t keep) : folder_(std::move(folder)), keep_(keep) {}

  // Writes a model that has learned `steps` events, and removes the oldest beyond `keep`.
  Status Add(std::int64_t steps, ModelVersion version, const std::string& model_json);
  // Removes the snapshots that have learned this event or a later one.
  Status DestroyWith(EventIndex first);
  // Removes the snapshots of older versions. A process that died between a commit and DestroyWith
  // has left them.
  Status DestroyBefore(ModelVersion version);

  struct Snapshot {
    std::string path;
    std::int64_t steps = 0;
    ModelVersion version;
  };
  // Oldest first.
  std::vector<Snapshot> List() const;

 private:
  const std::string folder_;
  const std::int64_t keep_;
};

}  // namespace lethe
