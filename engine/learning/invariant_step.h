#pragma once

#include "engine/spec/loss.h"

namespace lethe {

// By how much one event moves its prediction p, if its step is made of infinitely many small ones
// (Karampatziakis and Langford 2011). `reach` is the step size times the change of p for a push of
// one. The prediction never moves beyond the label, however large the reach is, and two steps for
// one event are as one of twice the weight.
//
// Squared and logistic loss have closed forms. The Huber loss takes that of a parabola above it,
// and softmax takes it for each of its outputs: the step is shorter than the exact one.
double InvariantMove(const Loss& loss, double p, double y, double reach);

// The same for a loss of slope `slope` and second derivative at most `curvature`, by the parabola.
double ParabolaMove(double slope, double curvature, double reach);

}  // namespace lethe
