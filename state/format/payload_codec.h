#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/ports/example.h"
#include "state/format/number_form.h"

namespace lethe {

// The lossless codec of a payload: an example's features, label and importance weight. A number
// takes four bytes where that loses no bit, see NumberForm. A weight of 1 takes none. The bytes
// depend on this payload alone; docs/formats/state.md describes them. Not thread-safe, because
// Encode reuses a buffer; the static methods are. It owns the buffer. Encode cannot fail.
class PayloadCodec {
 public:
  // The view is valid until the next call of Encode.
  std::string_view Encode(const Example& example);
  // Returns false if the bytes are damaged; `example` is then unchanged.
  static bool Decode(std::string_view bytes, Example& example);
  // Decodes a payload of exactly x.size() dense features, without an allocation. Returns false if
  // the bytes are damaged, or hold hashed features or another number of them; `x`, `y` and `w` are
  // then unchanged.
  static bool DecodeDense(std::string_view bytes, std::span<double> x, double& y, double& w);

 private:
  std::string bytes_;
};

}  // namespace lethe
