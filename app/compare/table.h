#pragma once

#include <string>
#include <vector>

#include "app/compare/compare.h"

namespace lethe {

// The comparison for a person, one row per contender, and as JSON (lethe.comparison/1).
// What the figures do not rest on: a line for each distinct set of records that were not learned,
// with the modes that it is of. Empty when every record was taken.
std::string RefusedLines(const std::vector<Comparison>& comparisons);

std::string CompareTable(const std::vector<Comparison>& comparisons);
std::string CompareJson(const std::vector<Comparison>& comparisons);

}  // namespace lethe
