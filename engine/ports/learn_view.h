#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lethe {

// A view of a dense learn event that has an id, in the buffer that the record was read into. Every
// pointer is borrowed from that buffer. Nothing has been validated except the encoding.
struct LearnView {
  std::string_view id;
  std::optional<std::string_view> subject;
  double y = 0;
  std::optional<std::string_view> label;  // y as text: the name of a class
  double w = 1;
  // The `count` features as a contiguous array of float32 or float64 in the byte order of the
  // machine. The address need not be aligned.
  const char* x = nullptr;
  std::size_t count = 0;
  bool is_float32 = false;
};

}  // namespace lethe
