#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/example.h"
#include "state/number_form.h"

namespace lethe {

// A payload as it lies on disk, without a bit lost: numbers take four bytes where they can, as
// those do that came as float32, or as decimals of up to nine digits. docs/formats/state.md has the
// bytes. Not thread-safe.
class PayloadCodec {
 public:
  // Valid until the next call.
  std::string_view Encode(const Example& example);
  // The numbers of the last one, as they were packed.
  PackedNumbers packed() const { return {form_, bytes_.data() + kHeader}; }
  // Also reads what was written before there was a codec. False: it is damaged.
  static bool Decode(std::string_view bytes, Example& example);

 private:
  static constexpr std::size_t kHeader = 4 + 3 + 1 + 8;

  std::string bytes_;
  NumberForm form_ = NumberForm::kFloat64;
  FormFinder forms_;
};

}  // namespace lethe
