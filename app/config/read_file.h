#pragma once

#include <cstddef>
#include <string>

#include "engine/base/status.h"

namespace lethe::config {

inline constexpr std::size_t kLargestFile = 1 << 20;

// The bytes of the file at `path` ("-" is standard input). Fails if the file is missing,
// unreadable, a directory, or larger than `limit`. The message calls the file `what`.
Result<std::string> ReadWholeFile(const std::string& path,
                                  const std::string& what = "the configuration file",
                                  std::size_t limit = kLargestFile);

}  // namespace lethe::config
