#pragma once

#include <vector>

namespace lethe {

// What ReadNumbers does, many numbers at a time; only where the processor can.
extern const bool kHasWindows;
bool ReadByWindows(const char*& at, const char* end, std::vector<double>& numbers);

}  // namespace lethe
