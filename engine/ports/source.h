#pragma once

#include <cstddef>
#include <vector>

#include "engine/event.h"
#include "engine/status.h"

namespace lethe {

// Where records come from, in order. Within a shard the order is that of the offsets.
class Source {
 public:
  virtual ~Source() = default;

  // Fills `batch` (whose old contents are reused as buffers) with at most `limit` records and
  // returns how many are valid. 0 is the end of the stream. An error means that the stream as a
  // whole cannot be read on; a single bad record is a Record with a rejection.
  virtual Result<std::size_t> Read(std::vector<Record>& batch, std::size_t limit) = 0;
};

}  // namespace lethe
