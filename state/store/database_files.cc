#include "state/store/database_files.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace lethe {

DatabaseFiles::DatabaseFiles(const std::string& folder) {
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const bool is_manifest = name.starts_with("MANIFEST-");
    if (!is_manifest && !name.ends_with(".log") && !name.ends_with(".sst")) continue;
    std::error_code gone;
    const std::uint64_t size = is_manifest ? entry->file_size(gone) : 0;
    if (!gone) sizes_[name] = size;
  }
}

bool DatabaseFiles::HasLogsOf(const DatabaseFiles& before) const {
  return std::all_of(before.sizes_.begin(), before.sizes_.end(), [this](const auto& file) {
    return !file.first.ends_with(".log") || sizes_.contains(file.first);
  });
}

}  // namespace lethe
