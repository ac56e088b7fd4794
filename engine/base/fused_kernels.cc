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

}  // namespace lethe
