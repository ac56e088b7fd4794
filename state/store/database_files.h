#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace lethe {

// A snapshot of the file names of a RocksDB database, and of the size of its manifest. A process
// that opens the database of another process takes one before and one after, and so finds out
// whether the owner replaced files in between. A plain value. It cannot fail: a folder that cannot
// be listed gives an empty snapshot.
class DatabaseFiles {
 public:
  explicit DatabaseFiles(const std::string& folder);

  // Whether no log was removed between `before` and this snapshot. If so, a database that was
  // opened in between is complete: RocksDB removes a log only when its content is in other files,
  // and the oldest log first.
  bool HasLogsOf(const DatabaseFiles& before) const;
  bool operator==(const DatabaseFiles&) const = default;

 private:
  std::map<std::string, std::uint64_t> sizes_;  // by name; 0 for all files but the manifest
};

}  // namespace lethe
