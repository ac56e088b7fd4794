#pragma once

#include <optional>
#include <string>

#include "engine/base/status.h"

namespace lethe {

// GET of a path from a daemon at an url such as http://127.0.0.1:9464: the body. kUsage when the
// url is none of these, kUnavailable when nobody answers, kInput when the answer is not 200.
Result<std::string> Download(const std::string& url, const std::string& path,
                             const std::optional<std::string>& token);

}  // namespace lethe
