#include "engine/base/fused_kernels.h"

#include <cstring>

#include "engine/base/simd_dispatch.h"

namespace lethe {
namespace {

// Eigen's reduction uses two packets of two doubles. Four holds both side by side, in one register
// of 32 bytes or in two of 16.
typedef double Four __attribute__((vector_size(4 * sizeof(double))));
typedef double Two __attribute__((vector_size(2 * sizeof(double))));

// The squared norm of the numbers that `term` computes. term.Put(i, value) computes the numbers
// from index i on, as many as `value` has lanes, and stores them both in `value` and in the output
// array.
//
// The order of additions is Eigen's, on which the bits of every model depend: two accumulators of
// two lanes over the multiples of four, their sum, then a rest of two, then the sum of the two
// lanes, then a last number.
template <typename Term>
[[gnu::always_inline]] inline double SquaredNorm(const Term& term, std::size_t count) {
  if (count < 2) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      double value;
      term.Put(i, value);
      sum += value * value;
    }
    return sum;
  }
  const std::size_t fours = count / 4 * 4;
  const std::size_t twos = count / 2 * 2;
  Two sum;
  std::size_t i = 0;
  if (fours > 0) {
    Four value;
    term.Put(0, value);
    Four sums = value * value;
    for (i = 4; i < fours; i += 4) {
      term.Put(i, value);
      sums += value * value;
    }
    sum = Two{sums[0], sums[1]} + Two{sums[2], sums[3]};
    if (twos > fours) {
      Two last;
      term.Put(i, last);
      sum += last * last;
    }
  } else {
    term.Put(0, sum);
    sum *= sum;
  }
  double total = sum[0] + sum[1];
  if (twos < count) {
    double last;
    term.Put(twos, last);
    total += last * last;
  }
  return total;
}

typedef float FourFloats __attribute__((vector_size(4 * sizeof(float))));
typedef float TwoFloats __attribute__((vector_size(2 * sizeof(float))));

// The kernels' Run functions take numbers and pointers as separate arguments, which are passed in
// registers. A struct would be written to memory and read back, which takes longer than a few
// iterations of the loop.

struct Widen {
  const char* from;
  double* to;

  [[gnu::always_inline]] static double Run(const char* from, std::size_t count, double* to) {
    return SquaredNorm(Widen{from, to}, count);
  }

  [[gnu::always_inline]] void Put(std::size_t i, Four& value) const { PutAs<FourFloats>(i, value); }
  [[gnu::always_inline]] void Put(std::size_t i, Two& value) const { PutAs<TwoFloats>(i, value); }
  [[gnu::always_inline]] void Put(std::size_t i, double& value) const {
    float narrow;
    std::memcpy(&narrow, from + i * sizeof(float), sizeof narrow);
    value = narrow;
    to[i] = value;
  }

 private:
  template <typename Floats, typename T>
  [[gnu::always_inline]] void PutAs(std::size_t i, T& value) const {
    Floats narrow;
    std::memcpy(&narrow, from + i * sizeof(float), sizeof narrow);
    value = __builtin_convertvector(narrow, T);
    std::memcpy(to + i, &value, sizeof value);
  }
};

struct Unpack {
  const char* from;
  double* to;

  [[gnu::always_inline]] static double Run(const char* from, std::size_t count, double* to) {
    return SquaredNorm(Unpack{from, to}, count);
  }

  template <typename T>
  [[gnu::always_inline]] void Put(std::size_t i, T& value) const {
    std::memcpy(&value, from + i * sizeof(double), sizeof value);
    std::memcpy(to + i, &value, sizeof value);
  }
};

struct Step {
  double keep;
  double step;
  const double* x;
  double* z;

  [[gnu::always_inline]] static double Run(double keep, double step, const double* x,
                                           std::size_t count, double* z) {
    return SquaredNorm(Step{keep, step, x, z}, count);
  }

  template <typename T>
  [[gnu::always_inline]] void Put(std::size_t i, T& value) const {
    T feature;
    std::memcpy(&value, z + i, sizeof value);
    std::memcpy(&feature, x + i, sizeof feature);
    value = keep * value - step * feature;
    std::memcpy(z + i, &value, sizeof value);
  }
};

// Calls tile(j, lanes) for the columns j.. of a matrix, in tiles that are as wide as four, two or
// one register. Each column is added from the first row to the last, whatever its tile, so that the
// width of a register changes no bit.
template <typename Tile>
[[gnu::always_inline]] inline void ForEachTile(std::size_t columns, const Tile& tile) {
  std::size_t j = 0;
  for (; j + 16 <= columns; j += 16) tile.template Run<Four, 4>(j);
  for (; j + 4 <= columns; j += 4) tile.template Run<Four, 1>(j);
  for (; j < columns; ++j) tile.template Run<double, 1>(j);
}

template <typename T>
[[gnu::always_inline]] inline void Read(const double* from, T& value) {
  std::memcpy(&value, from, sizeof value);
}

struct StepRows {
  double keep;
  const double* step;
  std::size_t columns;
  const double* x;
  std::size_t count;
  double* z;
  double* total;

  [[gnu::always_inline]] static double Run(double keep, const double* step, std::size_t columns,
                                           const double* x, std::size_t count, double* z) {
    double total = 0;
    ForEachTile(columns, StepRows{keep, step, columns, x, count, z, &total});
    return total;
  }

  template <typename T, int kRegisters>
  [[gnu::always_inline]] void Run(std::size_t j) const {
    constexpr std::size_t kLanes = sizeof(T) / sizeof(double);
    T pushes[kRegisters];
    T sums[kRegisters];
    for (int k = 0; k < kRegisters; ++k) {
      Read(step + j + k * kLanes, pushes[k]);
      sums[k] = T{};
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (int k = 0; k < kRegisters; ++k) {
        double* const at = z + i * columns + j + k * kLanes;
        T value;
        Read(at, value);
        value = keep * value - x[i] * pushes[k];
        std::memcpy(at, &value, sizeof value);
        sums[k] += value * value;
      }
    }
    for (int k = 0; k < kRegisters; ++k) {
      double lanes[kLanes];
      std::memcpy(lanes, &sums[k], sizeof lanes);
      for (const double lane : lanes) *total += lane;
    }
  }
};

struct SquareRows {
  const double* z;
  std::size_t count;
  std::size_t columns;
  double* total;

  [[gnu::always_inline]] static double Run(const double* z, std::size_t count,
                                           std::size_t columns) {
    double total = 0;
    ForEachTile(columns, SquareRows{z, count, columns, &total});
    return total;
  }

  template <typename T, int kRegisters>
  [[gnu::always_inline]] void Run(std::size_t j) const {
    constexpr std::size_t kLanes = sizeof(T) / sizeof(double);
    T sums[kRegisters];
    for (T& sum : sums) sum = T{};
    for (std::size_t i = 0; i < count; ++i) {
      for (int k = 0; k < kRegisters; ++k) {
        T value;
        Read(z + i * columns + j + k * kLanes, value);
        sums[k] += value * value;
      }
    }
    for (int k = 0; k < kRegisters; ++k) {
      double lanes[kLanes];
      std::memcpy(lanes, &sums[k], sizeof lanes);
      for (const double lane : lanes) *total += lane;
    }
  }
};

struct Multiply {
  const double* z;
  std::size_t columns;
  const double* x;
  std::size_t count;
  double* u;

  [[gnu::always_inline]] static void Run(const double* z, std::size_t columns, const double* x,
                                         std::size_t count, double* u) {
    ForEachTile(columns, Multiply{z, columns, x, count, u});
  }

  template <typename T, int kRegisters>
  [[gnu::always_inline]] void Run(std::size_t j) const {
    constexpr std::size_t kLanes = sizeof(T) / sizeof(double);
    T sums[kRegisters];
    for (T& sum : sums) sum = T{};
    for (std::size_t i = 0; i < count; ++i) {
      for (int k = 0; k < kRegisters; ++k) {
        T value;
        Read(z + i * columns + j + k * kLanes, value);
        sums[k] += x[i] * value;
      }
    }
    for (int k = 0; k < kRegisters; ++k) std::memcpy(u + j + k * kLanes, &sums[k], sizeof sums[k]);
  }
};

}  // namespace

double CopyWithSquaredNorm(const double* from, std::size_t count, double* to) {
  return UnpackWithSquaredNorm(reinterpret_cast<const char*>(from), count, to);
}

double UnpackWithSquaredNorm(const char* doubles, std::size_t count, double* to) {
  return Dispatch<Unpack>(doubles, count, to);
}

double WidenWithSquaredNorm(const char* floats, std::size_t count, double* to) {
  return Dispatch<Widen>(floats, count, to);
}

double StepWithSquaredNorm(double keep, double step, const double* x, std::size_t count,
                           double* z) {
  return Dispatch<Step>(keep, step, x, count, z);
}

double StepRowsWithSquaredNorm(double keep, const double* step, std::size_t columns,
                               const double* x, std::size_t count, double* z) {
  return Dispatch<StepRows>(keep, step, columns, x, count, z);
}

double RowsSquaredNorm(const double* z, std::size_t count, std::size_t columns) {
  return Dispatch<SquareRows>(z, count, columns);
}

void MultiplyRows(const double* z, std::size_t columns, const double* x, std::size_t count,
                  double* u) {
  Dispatch<Multiply>(z, columns, x, count, u);
}

}  // namespace lethe
