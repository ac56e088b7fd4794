#pragma once

#include <string>
#include <string_view>

namespace lethe {

// One HTML page around this JSON, with the dashboard's style and charts inside of it. It runs the
// scripts and styles that are in it and nothing else (Content-Security-Policy by their hashes).
std::string ReportPage(std::string_view title, std::string_view json);

}  // namespace lethe
