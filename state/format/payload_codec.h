#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/ports/example.h"
#include "state/format/number_form.h"

namespace lethe {

// A payload as it lies on disk, without a bit lost: numbers take four bytes where they can, as
// those do that came as float32, or as decimals of up to nine digits. The bytes
// depend on this payload alone. docs/formats/state.md has them. Not thread-safe.
class PayloadCodec {
 public:
  // Valid until the next call.
  std::string_view Encode(const Example& example);
  // False: the bytes are damaged.
  static bool Decode(std::string_view bytes, Example& example);
  // Decodes a payload of x.size() dense features. False: the bytes are damaged, or hold something
  // else.
  static bool DecodeDense(std::string_view bytes, std::span<double> x, double& y);

 private:
  std::string bytes_;
};

}  // namespace lethe
