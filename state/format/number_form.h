#pragma once

#include <cstddef>
#include <cstdint>

namespace lethe {

// How numbers are kept, on disk and in memory. A number fits a form if it comes back with the same
// bits: floats fit the first, decimals of up to nine or six digits behind the point the next two,
// and everything the last.
enum class NumberForm : std::uint8_t { kFloat32 = 1, kDecimal9 = 2, kDecimal6 = 3, kFloat64 = 4 };

inline std::size_t BytesOfNumber(NumberForm form) { return form == NumberForm::kFloat64 ? 8 : 4; }

// Returns false if one of them does not fit; what was written then means nothing.
bool WriteNumbers(NumberForm form, const double* x, std::size_t count, char* to);
void ReadNumbers(NumberForm form, const char* from, std::size_t count, double* x);

// Writes all numbers in the first form that they fit, in at most eight bytes each, and returns it.
// The form depends on these numbers alone: one that other rows had led to would tell of them after
// they are deleted.
NumberForm WriteShortest(const double* x, std::size_t count, char* to);

// Rows whose numbers are expanded at a time, so that they stay in the processor's cache.
inline constexpr std::size_t kRowsToRead = 64;

}  // namespace lethe
