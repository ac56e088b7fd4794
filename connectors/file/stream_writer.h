#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/status.h"

namespace lethe {

class Encoder;
class RawOutput;

// Writes lines, or bytes, to a file or, for "-", to the standard output. A name that ends in .gz or
// .zst is compressed; the same lines give the same bytes.
//
// The file appears under its name at Close, complete and on disk, and replaces what was there.
// Until then, and for good if Close is not reached or fails, it is a temporary file next to it,
// which the destructor removes. What is no regular file (a pipe, /dev/null) is written directly.
//
// Errors are kDisk and stay: after one, nothing more is written. Not thread-safe.
class StreamWriter {
 public:
  static Result<std::unique_ptr<StreamWriter>> Open(const std::string& path);
  ~StreamWriter();
  StreamWriter(const StreamWriter&) = delete;
  StreamWriter& operator=(const StreamWriter&) = delete;

  // Writes `line`, which has no end of line in it, and the end of line.
  Status WriteLine(std::string_view line);

  // Writes `bytes` as they are.
  Status Write(std::string_view bytes);

  // To be called once, at the end.
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
