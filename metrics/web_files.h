#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "metrics/http_message.h"

namespace lethe {

// The files of web/, built into the program.
std::string_view EmbeddedIndexHtml();
std::string_view EmbeddedAppCss();
std::string_view EmbeddedAppJs();
std::string_view EmbeddedChartsJs();

// Answers /, /app.css, /app.js and /charts.js: what is built in, or the files of `root` as they are
// now.
HttpResponse ShowWebFile(const std::string& path, const std::optional<std::string>& root);

}  // namespace lethe
