#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace lethe {

// A learn event as most are, dense and with an id, still where it came: nothing of it is copied.
// Borrowed.
struct PlainLearn {
  std::string_view id;
  std::optional<std::string_view> subject;
  double y = 0;
  // The features, one after the other at any address: float32, or else float64.
  const char* x = nullptr;
  std::size_t count = 0;
  bool is_float32 = false;
};

}  // namespace lethe
