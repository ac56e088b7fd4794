#pragma once

#include <string>
#include <vector>

#include "app/compare/compare.h"
#include "app/replay/replay.h"
#include "engine/base/status.h"

namespace lethe {

inline constexpr char kReportHelp[] = "also write one self-contained page with charts to this file";

// The page of a comparison or a replay: charts of accuracy, regret, noise and cost, each with a
// table, in one file that loads nothing. The results must have been made with keep_series.
std::string CompareReport(const std::vector<Comparison>& comparisons);
std::string ReplayReport(const Plan& plan, const ReplayResult& result);
// The page of a sweep over budgets: a chart of what each certified way to forget costs.
std::string FrontierReport(const std::vector<Comparison>& comparisons);

// A check before the work begins: kUsage if the path is "-", because standard output has the
// figures. An empty path means that no page is wanted.
Status CheckReportPath(const std::string& path);
// Writes the page. The file gets its name when it is complete.
Status WriteReport(const std::string& path, const std::string& page);

}  // namespace lethe
