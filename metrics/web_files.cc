#include "metrics/web_files.h"

#include <fstream>
#include <iterator>

namespace lethe {
namespace {

struct WebFile {
  const char* path;
  const char* name;
  const char* content_type;
  std::string_view (*embedded)();
};

constexpr WebFile kFiles[] = {
    {"/", "index.html", "text/html; charset=utf-8", EmbeddedIndexHtml},
    {"/app.css", "app.css", "text/css; charset=utf-8", EmbeddedAppCss},
    {"/app.js", "app.js", "text/javascript; charset=utf-8", EmbeddedAppJs},
    {"/charts.js", "charts.js", "text/javascript; charset=utf-8", EmbeddedChartsJs},
};

}  // namespace

HttpResponse ShowWebFile(const std::string& path, const std::optional<std::string>& root) {
  for (const WebFile& file : kFiles) {
    if (path != file.path) continue;
    HttpResponse response;
    response.content_type = file.content_type;
    response.is_page = true;
    if (!root) {
      response.body = std::make_shared<const std::string>(file.embedded());
      return response;
    }
    std::ifstream in(*root + "/" + file.name, std::ios::binary);
    if (!in) {
      return ErrorResponse(404, std::string("--web-root has no readable ") + file.name);
    }
    response.body = std::make_shared<const std::string>(std::istreambuf_iterator<char>(in),
                                                        std::istreambuf_iterator<char>());
    return response;
  }
  return ErrorResponse(404, "there is no such path");
}

}  // namespace lethe
