#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/status.h"
#include "engine/base/types.h"

namespace lethe {

// Read-only copies of a shard's model, for whoever wants to look back. No command restores one: a
// state that went back would draw noise a second time. A copy that knew a deleted event is
// destroyed with it.
class Snapshots {
 public:
  // In a folder of their own, which is made with the first one; the newest `keep` stay.
  Snapshots(std::string folder, std::int64_t keep) : folder_(std::move(folder)), keep_(keep) {}

  // A model that has learned `steps` events.
  Status Add(std::int64_t steps, ModelVersion version, const std::string& model_json);
  // Those that have learned this event go.
  Status DestroyWith(EventIndex first);
  // Those older than this version go: what may be left when a process died in between.
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
