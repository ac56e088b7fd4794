#pragma once

namespace lethe {

// One number as JSON has it, before `end`, read just as simdjson would, bit for bit. Moves `at`
// behind it, or returns false for anything else, and for what is rare enough to be left to
// simdjson.
bool ReadNumber(const char*& at, const char* end, double& number);

}  // namespace lethe
