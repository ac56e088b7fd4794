#pragma once

#include <cstddef>

namespace lethe {

// Fused loops over dense numbers: each combines a copy or an update with the squared norm of its
// result, in one pass over memory instead of two. For vectors the results are those of Eigen, bit
// for bit: the squares are added in the order of squaredNorm() with packets of two. Matrices are
// row-major. All functions are thread-safe.

// to <- from. Returns |from|^2.
double CopyWithSquaredNorm(const double* from, std::size_t count, double* to);

// The same from an array of float32 or float64 that need not be aligned. `count` is the number of
// values, not of bytes.
double WidenWithSquaredNorm(const char* floats, std::size_t count, double* to);
double UnpackWithSquaredNorm(const char* doubles, std::size_t count, double* to);

// z <- keep z - step x. Returns |z|^2.
double StepWithSquaredNorm(double keep, double step, const double* x, std::size_t count, double* z);

// The same for a matrix z of `count` rows and `columns` columns, whose row i is
// keep z_i - x_i * step, step being one number for each column. Returns |z|^2, added down the
// columns and then across, so that its rounding grows with count + columns and not with their
// product.
double StepRowsWithSquaredNorm(double keep, const double* step, std::size_t columns,
                               const double* x, std::size_t count, double* z);
// |z|^2 in that order.
double RowsSquaredNorm(const double* z, std::size_t count, std::size_t columns);
// u <- z' x, each u_j added from the first row to the last.
void MultiplyRows(const double* z, std::size_t columns, const double* x, std::size_t count,
                  double* u);

}  // namespace lethe
