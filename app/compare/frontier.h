#pragma once

#include <string>
#include <vector>

#include "app/compare/compare.h"

namespace lethe {

// The budgets of a sweep, as epsilon, when none are given.
const std::vector<double>& DefaultSweep();

// Each contender once for every epsilon, with the delta of its spec or the reported delta. A
// contender that forgets exactly or never certifies comes once.
std::vector<Contender> Sweep(const std::vector<Contender>& contenders,
                             const std::vector<double>& epsilons);

// The result of a sweep, accuracy against the advantage of an attacker, as a table and as JSON
// (lethe.frontier/1).
std::string FrontierTable(const std::vector<Comparison>& comparisons);
std::string FrontierJson(const std::vector<Comparison>& comparisons);

}  // namespace lethe
