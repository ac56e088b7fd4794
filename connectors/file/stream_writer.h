#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace lethe {

class Encoder;
class RawOutput;

// A writer of lines or bytes to a file or, for "-", to the standard output. A file whose name ends
// in .gz or .zst is compressed. The same lines give the same bytes.
//
// When Close succeeds, the contents are synced to disk, and the complete file has its name and
// replaces an older file. Until then it is a temporary file in the same folder, which the
// destructor removes if Close was not reached or failed. A path that is not a regular file (a pipe,
// /dev/null) is written directly.
//
// Not thread-safe. Errors are kDisk and final: after one, nothing more is written, and every call
// returns it.
class StreamWriter {
 public:
  static Result<std::unique_ptr<StreamWriter>> Open(const std::string& path);
  ~StreamWriter();
  StreamWriter(const StreamWriter&) = delete;
  StreamWriter& operator=(const StreamWriter&) = delete;

  // Writes `line`, which contains no end of line, and an end of line. Output is buffered, so an
  // error may come with a later call.
  Status WriteLine(std::string_view line);

  // Writes `bytes` as they are.
  Status Write(std::string_view bytes);

  // Completes the file. Call it once, at the end.
  Status Close();

 private:
  StreamWriter(std::unique_ptr<RawOutput> output, std::unique_ptr<Encoder> encoder);

  Status Flush(bool is_last);

  const std::unique_ptr<RawOutput> output_;
  const std::unique_ptr<Encoder> encoder_;
  std::string pending_;
  bool is_closed_ = false;
  Status failed_;
};

}  // namespace lethe
