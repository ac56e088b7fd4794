#pragma once

#include "engine/spec/spec.h"

namespace lethe {

// The default configuration, but in mode passive. For tests of noise and of its certificates: the
// default mode forgets exactly and draws none.
inline Spec PassiveSpec() {
  Spec spec;
  spec.forgetting.mode = "passive";
  return spec;
}

}  // namespace lethe
