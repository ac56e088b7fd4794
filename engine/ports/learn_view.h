#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lethe {

// A dense learn event with an id, still in the buffer that it was read into. A view: nothing is
// copied, and every pointer is borrowed from that buffer.
struct LearnView {
  std::string_view id;
  std::optional<std::string_view> subject;
  double y = 0;
  // The features, one after the other at any address: float32, or else float64.
  const char* x = nullptr;
  std::size_t count = 0;
  bool is_float32 = false;
};

}  // namespace lethe
