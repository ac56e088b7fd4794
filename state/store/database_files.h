#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace lethe {

// The files of a RocksDB database at one time: their names, and the size of the manifest. A process
// that reads a database of another process finds out with it whether the files were exchanged
// while it opened them.
class DatabaseFiles {
 public:
  explicit DatabaseFiles(const std::string& folder);

  // Whether no log has been removed since `before`. If so, a database that was opened in between is
  // whole: RocksDB removes a log when all of it is in other files, and the oldest one first.
  bool HasLogsOf(const DatabaseFiles& before) const;
  bool operator==(const DatabaseFiles&) const = default;

 private:
  std::map<std::string, std::uint64_t> sizes_;  // 0 for all but the manifest
};

}  // namespace lethe
