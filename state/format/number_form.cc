#include "state/format/number_form.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "engine/base/simd_dispatch.h"

namespace lethe {
namespace {

constexpr std::size_t kProbe = 4;  // numbers that tell most rows that do not fit

struct AsFloat32 {
  using Number = float;
  static float Write(double x) { return static_cast<float>(x); }
  static double Read(float number) { return number; }
};

// x over a power of ten that has an integer above it: both are exact, so the quotient is the
// double that is nearest to the decimal, as in any correct reader.
template <int kPower>
struct AsDecimal {
  using Number = std::int32_t;
  // Out of range it becomes a number that does not come back.
  static std::int32_t Write(double x) {
    constexpr double kRound = 0x1.8p52;  // adding it leaves the nearest integer in the low bits
    return static_cast<std::int32_t>(std::bit_cast<std::int64_t>(x * kPower + kRound));
  }
  static double Read(std::int32_t number) { return static_cast<double>(number) / kPower; }
};

struct AsFloat64 {
  using Number = double;
  static double Write(double x) { return x; }
  static double Read(double number) { return number; }
};

template <typename F>
auto With(NumberForm form, const F& f) {
  switch (form) {
    case NumberForm::kFloat32: return f(AsFloat32());
    case NumberForm::kDecimal9: return f(AsDecimal<1'000'000'000>());
    case NumberForm::kDecimal6: return f(AsDecimal<1'000'000>());
    default: return f(AsFloat64());
  }
}

// These two are where the time goes, so they are to be vectorised.
template <typename As>
struct Writing {
  [[gnu::always_inline]] static bool Run(const double* x, std::size_t count, char* to) {
    std::uint64_t differs = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const typename As::Number number = As::Write(x[i]);
      differs |=
          std::bit_cast<std::uint64_t>(As::Read(number)) ^ std::bit_cast<std::uint64_t>(x[i]);
      std::memcpy(to + i * sizeof number, &number, sizeof number);
    }
    return differs == 0;
  }
};

template <typename As>
struct Reading {
  [[gnu::always_inline]] static bool Run(const char* from, std::size_t count, double* x) {
    for (std::size_t i = 0; i < count; ++i) {
      typename As::Number number;
      std::memcpy(&number, from + i * sizeof number, sizeof number);
      x[i] = As::Read(number);
    }
    return true;
  }
};

}  // namespace

bool WriteNumbers(NumberForm form, const double* x, std::size_t count, char* to) {
  return With(form, [&](auto as) { return Dispatch<Writing<decltype(as)>>(x, count, to); });
}

void ReadNumbers(NumberForm form, const char* from, std::size_t count, double* x) {
  With(form, [&](auto as) { return Dispatch<Reading<decltype(as)>>(from, count, x); });
}

NumberForm WriteShortest(const double* x, std::size_t count, char* to) {
  for (const NumberForm form :
       {NumberForm::kFloat32, NumberForm::kDecimal9, NumberForm::kDecimal6}) {
    if (WriteNumbers(form, x, std::min(count, kProbe), to) && WriteNumbers(form, x, count, to)) {
      return form;
    }
  }
  WriteNumbers(NumberForm::kFloat64, x, count, to);
  return NumberForm::kFloat64;
}

}  // namespace lethe
