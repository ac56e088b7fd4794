#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/message.h"

namespace lethe {

struct WebFile {
  std::string_view name;
  std::string_view bytes;
};

// The files of web/, built into the program: the dashboard's, and in report/ those of the pages
// that other commands write.
std::span<const WebFile> EmbeddedWebFiles();

// Answers / and /web/NAME: what is built in, or the file of that name in `root` as it is now.
HttpResponse ShowWebFile(std::string_view path, const std::optional<std::string>& root);

}  // namespace lethe
