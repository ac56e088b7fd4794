#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "tests/support/proof_linear.h"

namespace lethe::proof {

// Runs of the modes that descend on the mean cost of all retained events now and then, with squared
// loss and minimisers inside of the ball: every descent is an affine map of the model.
Spec RandomErmSpec(Dice& dice, const char* mode);

// Most events pull one way; those that are deleted the other.
Script RandomErmScript(Dice& dice, const Spec& spec);

// Plays the descents in the world with these blank events, up to request `last`. `steps(request,
// is_first)` says how many a descent has, and `published(request)` is called after each; the
// request is none at a refit. `on_step(n)` is called after each step on n events.
struct ErmPlay {
  std::function<std::int64_t(std::optional<std::size_t> request, bool is_first)> steps;
  std::function<void(std::optional<std::size_t> request)> published;
  std::function<void(std::size_t events)> on_step = [](std::size_t) {};
};
void PlayErm(const Script& script, const std::vector<bool>& blank, std::size_t last,
             GaussianWorld& world, const ErmPlay& play);

// The steps of the modes d2d_*.
std::int64_t D2dSteps(const Plan& plan, bool is_first);

}  // namespace lethe::proof
