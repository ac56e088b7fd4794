#pragma once

#include <cstddef>
#include <cstdint>

namespace lethe {

// The encodings of a feature value, on disk and in memory. A number fits a form if decoding gives
// back the same bits. kFloat32 fits doubles that are floats; kDecimal9 and kDecimal6 fit decimals
// with up to nine or six digits after the point, within the range of a 32-bit integer; kFloat64
// fits every number. The values are on disk.
enum class NumberForm : std::uint8_t { kFloat32 = 1, kDecimal9 = 2, kDecimal6 = 3, kFloat64 = 4 };

inline std::size_t BytesOfNumber(NumberForm form) { return form == NumberForm::kFloat64 ? 8 : 4; }

// Encodes `count` numbers to `to`, which must have room for count * BytesOfNumber(form) bytes.
// Returns false if one of them does not fit; the bytes at `to` are then unspecified.
bool WriteNumbers(NumberForm form, const double* x, std::size_t count, char* to);
// The inverse of WriteNumbers. It cannot fail: any bytes are numbers of any form.
void ReadNumbers(NumberForm form, const char* from, std::size_t count, double* x);

// Encodes all numbers in the first form that every one of them fits, and returns that form. `to`
// must have room for eight bytes a number. The form depends on these numbers alone. If it depended
// on other rows, it would still say something about them after they are deleted.
NumberForm WriteShortest(const double* x, std::size_t count, char* to);

// How many rows a visitor decodes to doubles at a time, so that they stay in the processor's cache.
inline constexpr std::size_t kRowsToRead = 64;

}  // namespace lethe
