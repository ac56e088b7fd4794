#pragma once

#include <optional>

#include "engine/base/types.h"

namespace lethe {

// One event to be forgotten.
struct Target {
  EventIndex index;
  std::optional<KeyHash> subject;  // a hash that outlives the deletion

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.index, self.subject);
  }
};

// What forgetting a batch took.
struct Forgetting {
  double shift = 0;  // bound on this batch's own influence before the draw
  double sigma = 0;  // standard deviation of the noise that was drawn (or would have been)
  // Why this one is not certified, although the mode otherwise does; nullptr if it is.
  const char* why_not = nullptr;
};

}  // namespace lethe
