#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "engine/base/split_mix.h"

namespace lethe {

// The people of a demonstration. A fixed number of them is present and sends events. When one asks
// to be forgotten and leaves, another one comes. Thread-safe.
class DemoPeople {
 public:
  DemoPeople();

  // A random person who is present.
  std::string Any(SplitMix& random) const;
  // The person with this name leaves, if present, and a new one comes.
  void Leave(const std::string& name);
  // The people who are present.
  std::vector<std::string> names() const;

 private:
  void Welcome();

  mutable std::mutex mutex_;
  std::vector<std::string> here_;
  std::size_t come_ = 0;
};

}  // namespace lethe
