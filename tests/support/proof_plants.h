#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/privacy/curve.h"
#include "tests/support/proof_script.h"

namespace lethe::proof {

// Shared by the planted errors of the falsifier: a stream on which one event has nearly all the
// influence that the constants allow, and a calibrator that accepts a wrong curve.

// Logistic, dimension 2, constant steps, and a promise of mu.
Spec LogisticSpec(double eta, double lambda, double radius, double mu);

// Pushes the model along e1 until an event that says the opposite has a gradient of nearly L.
void PushAlong(Script& script);
// That event: its slope is above 0.99.
std::int64_t Oppose(Script& script, std::optional<std::uint64_t> subject = {});

// One opposing event, deleted at once.
Script OneDeletion(const Spec& spec);

// The sigmas that Calibrator would compute for requests without subjects under per_request, with
// another curve in the place of ShiftNoiseCurve; `entered` may lie about when an event came in.
template <typename Curve, typename Entered>
std::vector<double> SigmasWith(const Script& script, Curve curve, Entered entered) {
  OnlineRun run = script.NewRun();
  const std::vector<ShiftNoiseCurve::Group> groups = {ShiftNoiseCurve::Group{}};
  std::vector<double> sigmas;
  for (const Request& request : script.requests()) {
    while (run.ledger().steps() < request.after) run.Skip();
    const DoubleDouble now = run.ledger().Log();
    for (const Target& target : request.batch) {
      curve.AddShift({}, entered(target.index), run.ledger().Influence(target.index), now);
    }
    sigmas.push_back(curve.LeastSigma(
        groups, script.plan().promise.rho, [&](double sigma) { return run.ExtraShift(sigma); },
        now));
    curve.AddDraw(run.ledger().steps(), sigmas.back() * sigmas.back(), now);
    run.BookDraw(sigmas.back());
  }
  return sigmas;
}

inline std::int64_t TrulyEntered(EventIndex index) { return index.value + 1; }

}  // namespace lethe::proof
