#include "app/compare/chart.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace lethe {
namespace {

constexpr double kLeft = 60, kTop = 20, kWidth = 560, kHeight = 360, kLegend = 640;
constexpr const char* kColours[] = {"#0b6e99", "#d9480f", "#2b8a3e", "#862e9c", "#c92a2a",
                                    "#5c7cfa", "#e67700", "#087f5b", "#a61e4d", "#495057"};

[[gnu::format(printf, 1, 2)]] std::string Text(const char* format, ...) {
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

// From values to places.
struct Axes {
  double least_x = 1e-3, low = 0, high = 1;

  explicit Axes(const std::vector<ChartLine>& lines) {
    least_x = HUGE_VAL, low = HUGE_VAL, high = -HUGE_VAL;
    for (const ChartLine& line : lines) {
      for (const auto& [x, y] : line.points) {
        if (x > 0) least_x = std::min(least_x, x);
        low = std::min(low, y);
        high = std::max(high, y);
      }
    }
    if (!std::isfinite(least_x)) least_x = 0.1;
    least_x = std::min(0.5, least_x) / 2;  // left of the first point is the place for 0
    if (!(low <= high)) low = 0, high = 1;
    const double margin = std::max(0.005, 0.05 * (high - low));
    low -= margin, high += margin;
  }
  double X(double x) const {
    const double share = std::log(std::max(x, least_x) / least_x) / std::log(1 / least_x);
    return kLeft + kWidth * std::min(1.0, share);
  }
  double Y(double y) const { return kTop + kHeight * (high - y) / (high - low); }
};

std::string Grid(const Axes& axes, const std::string& x_title, const std::string& y_title) {
  std::string svg = Text(
      "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" fill=\"none\" stroke=\"#adb5bd\"/>\n",
      kLeft, kTop, kWidth, kHeight);
  for (const double x : {0.0, 0.01, 0.03, 0.1, 0.3, 1.0}) {
    if (x > 0 && x <= axes.least_x) continue;
    svg += Text("<text x=\"%.1f\" y=\"%g\" text-anchor=\"middle\">%g</text>\n", axes.X(x),
                kTop + kHeight + 18, x);
  }
  for (int i = 0; i <= 4; ++i) {
    const double y = axes.low + (axes.high - axes.low) * i / 4;
    svg += Text("<text x=\"%g\" y=\"%.1f\" text-anchor=\"end\">%.3f</text>\n", kLeft - 6,
                axes.Y(y) + 4, y);
  }
  svg += Text("<text x=\"%g\" y=\"%g\" text-anchor=\"middle\">", kLeft + kWidth / 2,
              kTop + kHeight + 38) +
         EscapedForHtml(x_title) + "</text>\n";
  return svg + Text("<text x=\"%g\" y=\"%g\">", kLeft, kTop - 6) + EscapedForHtml(y_title) +
         "</text>\n";
}

}  // namespace

std::string EscapedForHtml(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else if (c == '"') {
      escaped += "&quot;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string ChartSvg(const std::vector<ChartLine>& lines, const std::string& x_title,
                     const std::string& y_title) {
  const Axes axes(lines);
  std::string svg =
      Text(
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"%g\" "
          "font-family=\"sans-serif\" font-size=\"12\" role=\"img\">\n",
          std::max(kTop + kHeight + 50, kTop + 18.0 * static_cast<double>(lines.size() + 1))) +
      Grid(axes, x_title, y_title);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const char* colour = kColours[i % std::size(kColours)];
    // Later lines of the same colour are dashed.
    const char* dash = i < std::size(kColours) ? "" : " stroke-dasharray=\"5 3\"";
    std::string path;
    for (const auto& [x, y] : lines[i].points) {
      path += Text("%.1f,%.1f ", axes.X(x), axes.Y(y));
      svg += Text("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n", axes.X(x), axes.Y(y),
                  colour);
    }
    svg += "<polyline fill=\"none\" stroke=\"" + std::string(colour) + "\"" + dash + " points=\"" +
           path + "\"/>\n";
    const double y = kTop + 12 + 18 * static_cast<double>(i);
    svg += Text("<line x1=\"%g\" x2=\"%g\" y1=\"%g\" y2=\"%g\" stroke=\"%s\"%s/>\n", kLegend,
                kLegend + 24, y - 4, y - 4, colour, dash);
    svg += Text("<text x=\"%g\" y=\"%g\">", kLegend + 30, y) + EscapedForHtml(lines[i].name) +
           "</text>\n";
  }
  return svg + "</svg>";
}

}  // namespace lethe
