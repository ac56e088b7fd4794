#pragma once

#include <string>
#include <vector>

#include "app/compare/compare.h"

namespace lethe {

// The records that were not learned: a line for each distinct set of reasons and counts, with the
// contenders that it applies to. Empty if every record was learned.
std::string RefusedLines(const std::vector<Comparison>& comparisons);

// The warnings of all contenders, a line each.
std::string WarningLines(const std::vector<Comparison>& comparisons);

// The comparison as a table with one row per contender, and as JSON (lethe.comparison/1).
std::string CompareTable(const std::vector<Comparison>& comparisons);
std::string CompareJson(const std::vector<Comparison>& comparisons);

}  // namespace lethe
