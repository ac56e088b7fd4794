#pragma once

#include <optional>
#include <string>

#include "engine/base/status.h"

namespace lethe {

// Fetches `path` by GET from a daemon at a URL such as http://127.0.0.1:9464, and returns the body.
// `token` is sent as a bearer token. kUsage when the URL has another form, kUnavailable when no
// server answers within 30 seconds or the answer breaks off, kInput when its status is not 200.
Result<std::string> Download(const std::string& url, const std::string& path,
                             const std::optional<std::string>& token);

}  // namespace lethe
