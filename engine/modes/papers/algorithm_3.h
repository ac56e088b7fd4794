#pragma once

#include "engine/spec/constants.h"

// The formulas of OLU Algorithm 3. `lipschitz` is the Hessian's Lipschitz constant MH.
namespace lethe::algorithm_3 {

// How far one Newton step ends from the minimiser when it begins at this distance:
// MH/(2 mu) distance^2.
double NewtonError(const Constants& c, double lipschitz, double distance);

// Equation (59) as printed, without its stray alpha: the shift that it books for deletion i after
// tau learn events, and its sigma.
double PrintedShift(const Constants& c, double lipschitz, double tau, double i);
double PrintedSigma(const Constants& c, double lipschitz, double tau, double i, double rho);

}  // namespace lethe::algorithm_3
