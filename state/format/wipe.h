#pragma once

#include <algorithm>
#include <cstddef>

namespace lethe {

// Overwrites in a way that the compiler does not leave out because nobody reads it.
template <typename T>
void Wipe(T* values, std::size_t count) {
  std::fill(values, values + count, T{});
  asm volatile("" : : "r"(values) : "memory");
}

}  // namespace lethe
