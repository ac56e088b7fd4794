#include "state/format/number_form.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "engine/base/simd_dispatch.h"

namespace lethe {
namespace {

// A row that does not fit a form nearly always shows it in its first few numbers, so WriteShortest
// tries so many of them before it encodes the whole row.
constexpr std::size_t kProbe = 4;

struct AsFloat32 {
  using Number = float;
  static float Write(double x) { return static_cast<float>(x); }
  static double Read(float number) { return number; }
};

// The decimal m / 10^k, stored as the 32-bit integer m. Both m and 10^k are exact doubles, so their
// quotient is the double nearest to the decimal, which is also what any correct parser returns.
template <int kPower>
struct AsDecimal {
  using Number = std::int32_t;
  // Rounds x * 10^k to an integer without a branch. If the product is out of range, the result is
  // some other integer. Reading that one does not give x, so the comparison in Writing rejects it.
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

// The two loops below take most of the time of a codec, so the compiler must vectorise them: no
// branch, no early exit. Writing decodes each number again and collects every differing bit.
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
