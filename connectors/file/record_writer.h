#pragma once

#include <optional>

#include "engine/base/status.h"
#include "engine/ports/event.h"

namespace lethe {

// Writes a recorded stream in one of its forms. The file appears under its name at Close, complete,
// as StreamWriter does it; without Close nothing is left. Not thread-safe.
class RecordWriter {
 public:
  virtual ~RecordWriter() = default;

  // Writes a record, or says in `refused` why this form cannot hold it: then nothing of it is
  // written, and the file goes on without it. An error is kDisk, and Close will fail too.
  virtual Status Write(const Record& record, std::optional<Rejection>& refused) = 0;

  // To be called once, at the end.
  virtual Status Close() = 0;
};

}  // namespace lethe
