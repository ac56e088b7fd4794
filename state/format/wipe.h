#pragma once

#include <algorithm>
#include <cstddef>

namespace lethe {

// Overwrites values with zeros before their memory is freed or reused. The empty asm statement
// claims to read the memory, so the compiler may not drop the writes as dead stores.
template <typename T>
void Wipe(T* values, std::size_t count) {
  std::fill(values, values + count, T{});
  asm volatile("" : : "r"(values) : "memory");
}

}  // namespace lethe
