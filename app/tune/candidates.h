#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/spec/spec.h"

namespace lethe {

// The settings to begin with: update rules, schedules, step sizes, regularisation and radius over
// several orders of magnitude, on a grid and, where that is used up, at random. Settings that
// `stated` has stand first; at most `most` are returned, spread over the whole range. `exact_mode`
// says whether the mode forgets exactly: only then are steps for each weight tried, because only
// then are they certified. No two are equal.
std::vector<Spec> Candidates(const Spec& stated, bool exact_mode, std::size_t most);

// Choices next to one that is good: each differs in one setting. `fine`: by less.
std::vector<Spec> Neighbours(const Spec& spec, bool fine);

// The rule and schedule of a choice, such as "sgd/constant". The search keeps some of each for
// long.
std::string Family(const Spec& spec);

}  // namespace lethe
