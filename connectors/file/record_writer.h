#pragma once

#include <optional>

#include "engine/base/status.h"
#include "engine/ports/event.h"

namespace lethe {

// A writer of a recording, in one of its forms. The file appears under its name, complete, when
// Close succeeds (see StreamWriter); without Close nothing is left. Not thread-safe.
class RecordWriter {
 public:
  virtual ~RecordWriter() = default;

  // Writes a record. If this form cannot hold the record, `refused` says why, nothing of it is
  // written, and the next record can be written. An error is kDisk; every later call fails too, and
  // so does Close.
  virtual Status Write(const Record& record, std::optional<Rejection>& refused) = 0;

  // Completes the file. Call it once, at the end.
  virtual Status Close() = 0;
};

}  // namespace lethe
