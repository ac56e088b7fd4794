#include "http/web_files.h"

#include <fstream>
#include <iterator>

namespace lethe {
namespace {

constexpr std::string_view kFolder = "/web/";

const char* ContentType(std::string_view name) {
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  return "text/html; charset=utf-8";
}

// The built-in file of this name, or null. With a root too, only names of built-in files are
// served, so that no other file of the folder can be read.
const WebFile* Find(std::string_view name) {
  if (name.find('/') != std::string_view::npos) return nullptr;
  for (const WebFile& file : EmbeddedWebFiles()) {
    if (file.name == name) return &file;
  }
  return nullptr;
}

}  // namespace

HttpResponse ShowWebFile(std::string_view path, const std::optional<std::string>& root) {
  const WebFile* const file =
      Find(path.starts_with(kFolder) ? path.substr(kFolder.size()) : "index.html");
  if (file == nullptr) return ErrorResponse(404, "the dashboard has no such file");
  HttpResponse response;
  response.content_type = ContentType(file->name);
  response.is_page = true;
  if (!root) {
    response.body = std::make_shared<const std::string>(file->bytes);
    return response;
  }
  std::ifstream in(*root + "/" + std::string(file->name), std::ios::binary);
  if (!in) {
    return ErrorResponse(404, "--web-root has no readable " + std::string(file->name));
  }
  response.body = std::make_shared<const std::string>(std::istreambuf_iterator<char>(in),
                                                      std::istreambuf_iterator<char>());
  return response;
}

}  // namespace lethe
