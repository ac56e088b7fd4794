#pragma once

#include <string>
#include <string_view>

namespace lethe {

// One HTML page with this JSON, and with the style and charts of the dashboard inside of it. Its
// Content-Security-Policy allows only the scripts and styles in the page, by their hashes.
std::string ReportPage(std::string_view title, std::string_view json);

}  // namespace lethe
