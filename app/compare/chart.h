#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lethe {

struct ChartLine {
  std::string name;
  std::vector<std::pair<double, double>> points;  // (x, y), x at least 0
};

// A chart of these lines as SVG text: x on a logarithmic axis with a place for 0 at its left, y as
// it is. Needs no style sheet and no script.
std::string ChartSvg(const std::vector<ChartLine>& lines, const std::string& x_title,
                     const std::string& y_title);

std::string EscapedForHtml(const std::string& text);

}  // namespace lethe
