#pragma once

#include <vector>

namespace lethe {

// Reads an array of numbers whose opening bracket was already read, and moves `at` over the closing
// bracket. Each number is what ReadNumber (numbers.h) would read. Returns false for anything that
// ReadNumber refuses, and for an empty array; `at` and `numbers` are then unspecified. Thread-safe.
//
// The kBehind bytes before `at` must be readable, because numbers are loaded by their last 16
// bytes.
inline constexpr int kBehind = 16;
bool ReadNumbers(const char*& at, const char* end, std::vector<double>& numbers);

// The same, one number after the other: for processors without AVX2, and for tests to compare with.
bool ReadNumbersOneByOne(const char*& at, const char* end, std::vector<double>& numbers);

}  // namespace lethe
