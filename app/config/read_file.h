#pragma once

#include <cstddef>
#include <string>

#include "engine/base/status.h"

namespace lethe::config {

inline constexpr std::size_t kLargestFile = 1 << 20;

// The bytes of `path` ("-" is standard input). Fails when it is missing, unreadable, a directory,
// or larger than `limit`; the message calls it `what`.
Result<std::string> ReadWholeFile(const std::string& path,
                                  const std::string& what = "the configuration file",
                                  std::size_t limit = kLargestFile);

}  // namespace lethe::config
