#pragma once

#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/learning/mean_cost.h"
#include "engine/spec/spec.h"

namespace lethe {

// Reset (docs/guarantee.md, section 6): brings z to a point where the gradient of the mean cost,
// with a margin for rounding, is at most `tolerance`. Then in every world the model is within
// tolerance/mu of the same minimiser, whatever was deleted and in which order. The stopping test is
// what makes it sound, so a failure to reach it is an error and z must not be released.
Status ResetTo(const MeanCost& cost, const Constants& constants, double tolerance, Vector& z);

// Refuses (kConfig), before any data is seen, when the minimiser may lie outside of the ball, where
// the gradient need not vanish, or when rounding alone exceeds half of the tolerance.
// `who` names the key that asks for it.
Status CheckReset(const ModelSpec& model, const Constants& constants, double tolerance,
                  const char* who = "forgetting.active.variant: second_order");

// The radius within which every minimiser lies: min(G/mu, sqrt(2 sup loss(0; y)/mu)).
double MinimiserRadius(const ModelSpec& model, const Constants& constants);

}  // namespace lethe
