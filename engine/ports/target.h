#pragma once

#include <optional>

#include "engine/base/types.h"

namespace lethe {

// One event that is to be forgotten.
struct Target {
  EventIndex index;
  std::optional<KeyHash> subject;  // under the refuse key, so it may outlive the deletion

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.index, self.subject);
  }
};

// The cost of forgetting one batch. All of it is public and stands in the receipt.
struct Forgetting {
  double shift = 0;   // bound on this batch's own influence, just before the draw
  double sigma = 0;   // standard deviation of the noise that was drawn, or booked if disabled
  double shrink = 1;  // the factor by which the model was multiplied before the draw
  // Why this batch is not certified although the mode certifies otherwise; nullptr if it is
  // certified. The text is static.
  const char* why_not = nullptr;
};

}  // namespace lethe
