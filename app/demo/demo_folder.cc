#include "app/demo/demo_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace lethe {

Result<std::unique_ptr<DemoFolder>> DemoFolder::Make(const std::string& keep) {
  std::error_code error;
  if (keep.empty()) {
    std::string path = std::filesystem::temp_directory_path(error) / "lethe-demo-XXXXXX";
    if (error || mkdtemp(path.data()) == nullptr) {
      return Status(ErrorCode::kDisk, path + ": " + std::strerror(errno) +
                                          "; lethe demo --keep DIR uses another place");
    }
    return std::unique_ptr<DemoFolder>(new DemoFolder(path, false));
  }
  std::filesystem::create_directories(keep, error);
  if (error) return Status(ErrorCode::kDisk, keep + ": " + error.message());
  const bool is_empty = std::filesystem::is_empty(keep, error);
  if (error || !is_empty) {
    return Status(ErrorCode::kInput, keep + " is not empty; name a folder that is new");
  }
  return std::unique_ptr<DemoFolder>(new DemoFolder(keep, true));
}

DemoFolder::~DemoFolder() {
  std::error_code ignored;
  if (!is_kept_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace lethe
