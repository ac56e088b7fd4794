#pragma once

#include <memory>
#include <span>

#include "connectors/file/raw_input.h"
#include "engine/base/status.h"

namespace lethe {

// Reads the bytes that a file was compressed from. The formats are told apart by their first bytes,
// not by the name: plain; gzip, also several members in a row; Zstandard, also several frames in a
// row. Whatever follows a member that is no other member is an error, as it may be lost events.
class Decoder {
 public:
  virtual ~Decoder() = default;

  // Fills a part of `out`, which is not empty, and returns how much; 0 is the end. A truncated or
  // corrupt file is a kInput error, which says what is wrong but neither in which file nor where.
  virtual Result<std::size_t> Read(std::span<char> out) = 0;
};

// The decoder for what `input` begins with. It borrows the input.
Result<std::unique_ptr<Decoder>> MakeDecoder(RawInput& input);

}  // namespace lethe
