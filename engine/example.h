#pragma once

#include "engine/types.h"

namespace lethe {

// An accepted event as the learner sees it: the bias, if any, is the last feature.
struct Example {
  Vector x;
  double y = 0;
};

}  // namespace lethe
