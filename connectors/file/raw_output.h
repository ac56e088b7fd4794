#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace lethe {

// A file to write or, for "-", the standard output. A file is written under a temporary name next
// to its own and gets its name by Commit; without that, the destructor removes it. What exists and
// is no regular file is written directly. Errors are kDisk, with the reason of the operating
// system. Not thread-safe.
class RawOutput {
 public:
  static Result<std::unique_ptr<RawOutput>> Open(const std::string& path);
  ~RawOutput();
  RawOutput(const RawOutput&) = delete;
  RawOutput& operator=(const RawOutput&) = delete;

  Status Write(std::string_view bytes);

  // Waits for the disk, then renames. To be called once, at the end.
  Status Commit();

 private:
  RawOutput(std::string path, std::string temporary, int file);

  Status Error(const char* verb, int error) const;

  const std::string path_;
  const std::string temporary_;  // empty when written directly
  int file_;
};

}  // namespace lethe
