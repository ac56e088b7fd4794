#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/message.h"

namespace lethe {

// A file that is built into the program. Both views are valid for the life of the program.
struct WebFile {
  std::string_view name;
  std::string_view bytes;
};

// The files of web/: those of the dashboard, and in report/ those of the pages that other commands
// write.
std::span<const WebFile> EmbeddedWebFiles();

// Answers / and /web/NAME with a file of the dashboard: the one that is built in or, with `root`,
// the file of that name in the folder, read at this moment. 404 for any other name. Thread-safe.
HttpResponse ShowWebFile(std::string_view path, const std::optional<std::string>& root);

}  // namespace lethe
