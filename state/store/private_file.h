#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace lethe {

// Replaces a file atomically by one that only its owner may read (0600). When it returns ok, the
// file is on disk. kDisk: the old file, if any, is unchanged, and PATH.part may be left behind.
Status WritePrivateFile(const std::string& path, std::string_view bytes);

// The content of a file; none if there is no such file. kDisk: it cannot be read.
Result<std::optional<std::string>> ReadWholeFile(const std::string& path);

// Creates a folder that only its owner may enter (0700), and its parents. A folder that exists
// keeps its permissions.
Status MakePrivateFolder(const std::string& path);

}  // namespace lethe
