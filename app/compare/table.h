#pragma once

#include <string>
#include <vector>

#include "app/compare/compare.h"

namespace lethe {

// The comparison for a person, one row per contender, and as JSON (lethe.comparison/1).
std::string CompareTable(const std::vector<Comparison>& comparisons);
std::string CompareJson(const std::vector<Comparison>& comparisons);

}  // namespace lethe
