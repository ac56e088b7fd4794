#pragma once

#include <memory>
#include <span>

#include "connectors/file/raw_input.h"
#include "engine/base/status.h"

namespace lethe {

// A decompressor of plain, gzip (one or more members) or Zstandard (one or more frames) data. The
// first bytes decide the format, not the name. If something that is not a member follows a member,
// that is an error, because it may be lost events. Not thread-safe. After an error it must not be
// read again.
class Decoder {
 public:
  virtual ~Decoder() = default;

  // Fills the beginning of `out`, which is not empty, and returns the number of bytes; 0 is the
  // end. A truncated or corrupt file is a kInput error. Its message names neither the file nor the
  // position: the caller adds both. kInterrupted as in RawInput::Fill.
  virtual Result<std::size_t> Read(std::span<char> out) = 0;
};

// A decoder for the format that `input` begins with. It borrows the input, which must outlive it.
Result<std::unique_ptr<Decoder>> MakeDecoder(RawInput& input);

}  // namespace lethe
