#pragma once

namespace lethe {

// Reads one JSON number that begins at `at` and ends at `end` at the latest. The result equals that
// of simdjson bit for bit, and `at` moves to the end of the number. Returns false, with `at`
// unchanged, for anything that is not a JSON number, and for rare numbers (integers above 15
// characters, doubles out of range) that are left to simdjson. Thread-safe.
bool ReadNumber(const char*& at, const char* end, double& number);

}  // namespace lethe
