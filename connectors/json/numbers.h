#pragma once

#include <vector>

namespace lethe {

// Numbers as JSON has them, read just as simdjson would, bit for bit. Both move `at` behind what
// they read, or return false for anything else, and for what is rare enough to be left to simdjson.

// One number, before `end`.
bool ReadNumber(const char*& at, const char* end, double& number);

// The rest of an array of numbers, over its closing bracket. There must be kBehind bytes in front
// of `at` that can be read, whatever they are.
inline constexpr int kBehind = 16;
bool ReadNumbers(const char*& at, const char* end, std::vector<double>& numbers);

}  // namespace lethe
