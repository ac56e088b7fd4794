#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace lethe {

// Writes a file that only its owner may read, whole or not at all, and on disk when this returns.
Status WritePrivateFile(const std::string& path, std::string_view bytes);

// None if there is no such file.
Result<std::optional<std::string>> ReadWholeFile(const std::string& path);

// Makes a folder that only its owner may enter, if it is not there.
Status MakePrivateFolder(const std::string& path);

}  // namespace lethe
