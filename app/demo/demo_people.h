#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "app/generate/split_mix.h"

namespace lethe {

// Made-up people, of whom some are there and send events. Who asked to be forgotten is gone, and
// somebody new comes. Thread-safe.
class DemoPeople {
 public:
  DemoPeople();

  std::string Any(SplitMix& random) const;
  void Leave(const std::string& name);
  std::vector<std::string> names() const;

 private:
  void Welcome();

  mutable std::mutex mutex_;
  std::vector<std::string> here_;
  std::size_t come_ = 0;
};

}  // namespace lethe
