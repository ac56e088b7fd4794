#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace lethe {

// An output to a file or, for "-", to the standard output. A file is written under a temporary name
// in the same folder, and Commit renames it; without Commit the destructor removes it. An existing
// path that is not a regular file (a pipe, /dev/null) is written directly. Not thread-safe. Errors
// are kDisk with the reason of the operating system; after one, the output must not be committed.
class RawOutput {
 public:
  static Result<std::unique_ptr<RawOutput>> Open(const std::string& path);
  ~RawOutput();
  RawOutput(const RawOutput&) = delete;
  RawOutput& operator=(const RawOutput&) = delete;

  // Writes all of `bytes`, or fails after a part of them.
  Status Write(std::string_view bytes);

  // Syncs the file to disk, then renames it. Call it once, at the end. The rename itself is not
  // synced.
  Status Commit();

 private:
  RawOutput(std::string path, std::string temporary, int file);

  Status Error(const char* verb, int error) const;

  const std::string path_;
  const std::string temporary_;  // empty if the path is written directly
  int file_;
};

}  // namespace lethe
