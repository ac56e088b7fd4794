#pragma once

#include <vector>

namespace lethe {

// The rest of an array of numbers, over its closing bracket; each is what ReadNumber reads. There
// must be kBehind bytes in front of `at` that can be read, whatever they are.
inline constexpr int kBehind = 16;
bool ReadNumbers(const char*& at, const char* end, std::vector<double>& numbers);

// The same, slowly: where the processor cannot do otherwise, and to compare with.
bool ReadNumbersOneByOne(const char*& at, const char* end, std::vector<double>& numbers);

}  // namespace lethe
