#pragma once

#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/learning/mean_cost.h"
#include "engine/spec/spec.h"

namespace lethe {

// Reset (docs/guarantee.md, section 6): moves z to a point where the norm of the mean cost's
// gradient, plus a margin for rounding, is at most `tolerance`. Then in every world the model is
// within tolerance/mu of the same minimiser, whatever was deleted and in which order. The stopping
// test alone makes this sound, not the solver. Fails (kInternal) if the test is not reached; z is
// then the last iterate, inside the ball but without this guarantee.
Status ResetTo(const MeanCost& cost, const Constants& constants, double tolerance, Vector& z);

// Fails (kConfig), before any data is seen, if the minimiser may lie outside of the ball, where the
// gradient need not vanish, or if rounding alone may exceed half of the tolerance. ResetTo requires
// that this check has passed. `who` is the configuration key that asks for a reset.
Status CheckReset(const Spec& spec, const Constants& constants, double tolerance,
                  const char* who = "forgetting.active.variant: second_order");

// A radius within which every minimiser lies: min(G/mu, sqrt(2 sup loss(0; y)/mu)).
double MinimiserRadius(const ModelSpec& model, const Constants& constants);

}  // namespace lethe
