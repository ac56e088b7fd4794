#pragma once

#include <cstddef>

namespace lethe {

// Fused loops over dense numbers: each combines a copy or an update with the squared norm of its
// result, in one pass over memory instead of two. The results are those of Eigen, bit for bit: the
// squares are added in the order of squaredNorm() with packets of two. All functions are
// thread-safe.

// to <- from. Returns |from|^2.
double CopyWithSquaredNorm(const double* from, std::size_t count, double* to);

// The same from an array of float32 or float64 that need not be aligned. `count` is the number of
// values, not of bytes.
double WidenWithSquaredNorm(const char* floats, std::size_t count, double* to);
double UnpackWithSquaredNorm(const char* doubles, std::size_t count, double* to);

// z <- keep z - step x. Returns |z|^2.
double StepWithSquaredNorm(double keep, double step, const double* x, std::size_t count, double* z);

}  // namespace lethe
