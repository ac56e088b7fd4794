#pragma once

#include <cstddef>

namespace lethe {

// Two of Eigen's loops over dense numbers in one pass each, since the second would wait for memory
// or for its own sums. The results are Eigen's, bit for bit: |.|^2 adds up in the order of
// squaredNorm() with packets of two.

// to <- from. Returns |from|^2.
double CopyWithSquaredNorm(const double* from, std::size_t count, double* to);

// The same from numbers at any address: to <- the floats, or the doubles, that are there.
double WidenWithSquaredNorm(const char* floats, std::size_t count, double* to);
double UnpackWithSquaredNorm(const char* doubles, std::size_t count, double* to);

// z <- keep z - step x. Returns |z|^2.
double StepWithSquaredNorm(double keep, double step, const double* x, std::size_t count, double* z);

}  // namespace lethe
