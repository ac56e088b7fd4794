#pragma once

#include <optional>
#include <vector>

#include "tests/support/proof_gaussian.h"
#include "tests/support/proof_random.h"
#include "tests/support/proof_script.h"

namespace lethe::proof {

// A run with squared loss, its noise levels, and up to which order its closed form may be asked.
//
// Without projection a Gaussian leaves the ball sooner or later, where L does not hold, so the
// closed form is the truth of a slightly different system. It is comparable where those tails have
// no weight: steps and noise small against the radius, and orders alpha that do not magnify the
// small difference of the two covariances to more than a half. The difference comes from steps
// that one world takes and the other does not while noise is already there.
struct LinearRun {
  Script script;
  std::vector<double> sigmas;
  double max_order = 32;
  std::vector<double> shrinks = {};  // the factors before the draws; empty: none
};

// Dimensions 1..8, all public schedules, both guarantees, all splits; events aligned or not, whole
// subjects and single events deleted in any order. None if the run would leave the regime above.
std::optional<LinearRun> RandomLinearRun(Dice& dice);

// The run with its max_order, if it is in the regime.
std::optional<LinearRun> InRegime(LinearRun run);

// Any spec and stream from the same family, whatever the regime.
Spec RandomSquaredSpec(Dice& dice);
double RandomEta(Dice& dice, const ModelSpec& model);
void AddRandomStream(Dice& dice, Script& script);

// A spec in which |gradient| at 0 is within 0.3% of L: labels far beyond r R, and lambda small
// against Y/r.
Spec TightSpec(double feature_norm, double lambda, double mu);

// The worst cases: every deleted event pushes the same way with a gradient within a few thousandths
// of L, all of them entered before the first draw, and only empty events follow. Then the curve's
// bound is attained.
LinearRun TightLinearRun(Dice& dice);

// One deletion with |x| at the bound itself and labels so large that |gradient| is L but for the
// last digits: nothing but rounding lies between the exact divergence and the promise.
LinearRun SingleDeletionRun(Dice& dice);

// The other worst case, per_request: somebody else's large draw is wiped out along e1 by steps of
// large curvature, which the ledger's contraction cannot know, before the event enters along e1.
LinearRun WipedOutRun(Dice& dice);

// mode active. lambda is large against R^2, so that steps on a mean are small, and labels keep its
// minimiser within half of the ball.
Spec RandomActiveSpec(Dice& dice, ActiveVariant variant);

// mode active, variant ledger: before each draw a few gradient steps on the retained events, among
// which are those deleted later.
LinearRun RandomDescentRun(Dice& dice);

// mode active, variant paper: first on everything with the batch, then on the retained events.
LinearRun RandomPaperRun(Dice& dice);

// mode active, variant algorithm_3: on everything with the batch, then a Newton step.
LinearRun RandomNewtonRun(Dice& dice);

// mode active, variant second_order, with a tolerance that is often met at once.
LinearRun RandomResetRun(Dice& dice);

// What mode active does before the draw of request i, in the world with these blank events (none:
// the real one). A reset may stop anywhere within tolerance/mu of the minimiser: here the two
// worlds stop as far from each other as that allows.
void ActBefore(const Script& script, const std::vector<bool>& blank, std::size_t i,
               GaussianWorld& world);

// The payloads that are stored in that world when request i is served.
std::vector<Example> StoredAt(const Script& script, const std::vector<bool>& blank, std::size_t i);

// mode active, variant ledger, per_request: a large draw for another batch lies between two
// descents on the event that is deleted last, and the second descent wipes that draw out. What the
// event adds to the mean cost there has entered after the draw.
LinearRun DescentAfterDrawRun();

// The run of a script with its draws, shrinks included.
LinearRun WithDraws(Script script);

// exact / promised for every request. What follows a request is the same map in both worlds, so
// the law right after it decides about all later outputs.
std::vector<double> ExactRatios(const LinearRun& run);

}  // namespace lethe::proof
