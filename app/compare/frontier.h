#pragma once

#include <string>
#include <vector>

#include "app/compare/compare.h"

namespace lethe {

// The budgets of a sweep, as epsilon, when none are given.
const std::vector<double>& DefaultSweep();

// Each contender once for every budget (epsilon, with the delta of its spec or the reported one);
// those that forget exactly, or never certify, once.
std::vector<Contender> Sweep(const std::vector<Contender>& contenders,
                             const std::vector<double>& epsilons);

// What the sweep found: accuracy against the advantage of an attacker. As a table and as JSON
// (lethe.frontier/1).
std::string FrontierTable(const std::vector<Comparison>& comparisons);
std::string FrontierJson(const std::vector<Comparison>& comparisons);

}  // namespace lethe
