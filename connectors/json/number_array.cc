#include "connectors/json/number_array.h"

#include "connectors/json/numbers.h"

#if defined(__x86_64__) && !defined(LETHE_PORTABLE)

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#define LETHE_ON_AVX2 __attribute__((target("avx2,bmi,popcnt")))

namespace lethe {
namespace {

// A short decimal has an optional sign, one digit, a point and 1 to 14 digits, which is how numbers
// between -10 and 10 are usually written. Its digits are an integer below 2^50, and dividing that
// integer by a power of ten gives the nearest double: both operands are exact, and the division
// rounds once. Four short decimals are read at a time; every other number is left to ReadNumber.
constexpr unsigned kMostDigits = 14;  // behind the point
constexpr unsigned kBytes = 16;       // of a register
static_assert(kBytes == kBehind && kMostDigits + 2 == kBytes);

// Shuffle masks for the 16 bytes that end with a short decimal, by the number of digits after the
// point. The mask closes the gap of the point by moving the digit before it one byte to the right,
// and clears all bytes before that digit.
constexpr auto kOverPoint = [] {
  std::array<std::array<std::uint8_t, kBytes>, kMostDigits + 1> places{};
  for (unsigned count = 0; count <= kMostDigits; ++count) {
    for (unsigned i = 0; i < kBytes; ++i) {
      const unsigned from_end = kBytes - 1 - i;
      places[count][i] = static_cast<std::uint8_t>(from_end < count    ? i
                                                   : from_end == count ? i - 1
                                                                       : 0x80);
    }
  }
  return places;
}();

// The divisors, by the number of digits after the point. Those of negative numbers begin at 16.
constexpr double kPowers[2 * kBytes] = {1e0,  1e1,  1e2,   1e3,   1e4,   1e5,   1e6,   1e7,
                                        1e8,  1e9,  1e10,  1e11,  1e12,  1e13,  1e14,  0,
                                        -1e0, -1e1, -1e2,  -1e3,  -1e4,  -1e5,  -1e6,  -1e7,
                                        -1e8, -1e9, -1e10, -1e11, -1e12, -1e13, -1e14, 0};

// The extent of a number in the text, and the digits it has if it is a short decimal.
struct Shape {
  const char* stop;
  unsigned sign;
  unsigned count;  // digits after the point, if it is a short decimal; may wrap around otherwise

  Shape(const char* at, const char* stop)
      : stop(stop), sign(*at == '-' ? 1 : 0), count(static_cast<unsigned>(stop - at) - sign - 2) {}

  bool may_be_short() const { return count - 1 < kMostDigits; }
  bool has_point() const { return stop[-static_cast<std::ptrdiff_t>(count) - 1] == '.'; }
  double power() const { return kPowers[sign * kBytes + count]; }
  const __m128i* bytes() const { return reinterpret_cast<const __m128i*>(stop - kBytes); }
  const __m128i* over_point() const {
    return reinterpret_cast<const __m128i*>(kOverPoint[count].data());
  }
};

// The values of up to 15 digits of two numbers, right-aligned in one half each. A byte above 9 was
// no digit.
LETHE_ON_AVX2 inline __m256i DigitsOf(const Shape& low, const Shape& high) {
  const __m256i bytes = _mm256_loadu2_m128i(high.bytes(), low.bytes());
  const __m256i places = _mm256_loadu2_m128i(high.over_point(), low.over_point());
  return _mm256_shuffle_epi8(_mm256_sub_epi8(bytes, _mm256_set1_epi8('0')), places);
}

LETHE_ON_AVX2 inline bool AreDigits(__m256i bytes) {
  const __m256i is_digit = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(9)), bytes);
  return _mm256_movemask_epi8(is_digit) == -1;
}

// Joins neighbouring digits to numbers of two digits, and these to numbers of four.
LETHE_ON_AVX2 inline __m256i JoinToFours(__m256i digits) {
  const __m256i twos = _mm256_maddubs_epi16(digits, _mm256_set1_epi16(1 << 8 | 10));
  return _mm256_madd_epi16(twos, _mm256_set1_epi32(1 << 16 | 100));
}

// Reads four short decimals. Returns false if one of them is not a short decimal.
[[gnu::always_inline]] LETHE_ON_AVX2 inline bool ReadFour(Shape a, Shape b, Shape c, Shape d,
                                                          double* numbers) {
  if (!a.may_be_short() || !b.may_be_short() || !c.may_be_short() || !d.may_be_short())
    return false;
  const __m256i ac = DigitsOf(a, c);
  const __m256i bd = DigitsOf(b, d);
  if (!AreDigits(_mm256_max_epu8(ac, bd)) || !a.has_point() || !b.has_point() || !c.has_point() ||
      !d.has_point()) {
    return false;
  }
  const __m256i fours = _mm256_packus_epi32(JoinToFours(ac), JoinToFours(bd));
  const __m256i eights = _mm256_madd_epi16(fours, _mm256_set1_epi32(1 << 16 | 10000));
  const __m256i integers = _mm256_add_epi64(
      _mm256_mul_epu32(eights, _mm256_set1_epi64x(100'000'000)), _mm256_srli_epi64(eights, 32));
  // An integer below 2^52 becomes a double when its bits are put into the mantissa of 2^52 and 2^52
  // is subtracted.
  const __m256d two52 = _mm256_set1_pd(0x1p52);
  const __m256d exact = _mm256_sub_pd(
      _mm256_castsi256_pd(_mm256_or_si256(integers, _mm256_castpd_si256(two52))), two52);
  const __m256d powers = _mm256_set_pd(d.power(), c.power(), b.power(), a.power());
  _mm256_storeu_pd(numbers, _mm256_div_pd(exact, powers));
  return true;
}

// Reads the number in [at, stop), of any form that ReadNumber takes.
[[gnu::noinline]] LETHE_ON_AVX2 bool ReadOne(const char*& at, const char* stop, const char* end,
                                             double& number) {
  const Shape shape(at, stop);
  double same[4];
  if (!ReadFour(shape, shape, shape, shape, same)) {
    return ReadNumber(at, end, number) && at == stop;
  }
  number = same[0];
  return true;
}

constexpr std::ptrdiff_t kWindow = 64;

// A bit for each of 64 bytes that ends a number, up to the first closing bracket, and whether there
// is a bracket.
struct Marks {
  std::uint64_t ends = 0;
  bool is_closed = false;
};

// A bit for each of the 64 bytes that equals `c`.
LETHE_ON_AVX2 inline std::uint64_t PlacesOf(char c, const char* window) {
  const auto* const halves = reinterpret_cast<const __m256i*>(window);
  const __m256i all = _mm256_set1_epi8(c);
  std::uint64_t places = 0;
  for (int i = 0; i < 2; ++i) {
    const __m256i found = _mm256_cmpeq_epi8(_mm256_loadu_si256(halves + i), all);
    places |= std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(found))} << (32 * i);
  }
  return places;
}

LETHE_ON_AVX2 inline Marks MarksIn(const char* window) {
  const std::uint64_t brackets = PlacesOf(']', window);
  return {(PlacesOf(',', window) | brackets) & (brackets ^ (brackets - 1)), brackets != 0};
}

LETHE_ON_AVX2 inline Marks MarksIn(const char* at, const char* end) {
  if (end - at >= kWindow) return MarksIn(at);
  char tail[kWindow] = {};
  std::memcpy(tail, at, static_cast<std::size_t>(end - at));
  return MarksIn(tail);
}

// Appends the positions of the set bits, and returns their end. Writes eight at a time, up to seven
// of them beyond the end, because a branch on the number of bits would often be mispredicted.
LETHE_ON_AVX2 inline std::uint32_t* PutPlaces(std::uint64_t bits, std::uint32_t first,
                                              std::uint32_t* places) {
  std::uint32_t* const end = places + std::popcount(bits);
  do {
#pragma GCC unroll 8
    for (int i = 0; i < 8; ++i) {
      *places++ = first + static_cast<std::uint32_t>(std::countr_zero(bits));
      bits &= bits - 1;
    }
  } while (bits != 0);
  return end;
}

// Reads the array in two alternating passes: the first finds where about 192 numbers end, 64 bytes
// at a time, and the second reads these numbers. So no number waits for the end of the one before,
// and the processor works on several at once. Linear in the length of the text.
LETHE_ON_AVX2 bool ReadByWindows(const char*& at, const char* end, std::vector<double>& numbers) {
  constexpr std::size_t kPlaces = 192;
  std::uint32_t places[kPlaces + kWindow + 8];
  std::size_t count = 0;
  const char* window = at;
  for (bool is_closed = false; !is_closed;) {
    const char* const begin = at;
    std::uint32_t* last = places;
    while (!is_closed && last < places + kPlaces) {
      if (window >= end) return false;
      const Marks marks = MarksIn(window, end);
      is_closed = marks.is_closed;
      last = PutPlaces(marks.ends, static_cast<std::uint32_t>(window - begin), last);
      window += kWindow;
    }
    const auto found = static_cast<std::size_t>(last - places);
    if (numbers.size() < count + found) numbers.resize(count + found);
    double* const read = numbers.data() + count;
    const auto stop_of = [&](std::size_t i) { return begin + places[i]; };
    for (std::size_t i = 0; i < found;) {
      if (i + 4 <= found && ReadFour({at, stop_of(i)}, {stop_of(i) + 1, stop_of(i + 1)},
                                     {stop_of(i + 1) + 1, stop_of(i + 2)},
                                     {stop_of(i + 2) + 1, stop_of(i + 3)}, read + i)) {
        i += 4;
        at = stop_of(i - 1) + 1;
        continue;
      }
      for (const std::size_t group = std::min(i + 4, found); i < group; ++i) {
        if (!ReadOne(at, stop_of(i), end, read[i])) return false;
        at = stop_of(i) + 1;
      }
    }
    count += found;
  }
  numbers.resize(count);
  return true;
}

const bool kHasWindows = __builtin_cpu_supports("avx2") != 0 &&
                         __builtin_cpu_supports("bmi") != 0 &&
                         __builtin_cpu_supports("popcnt") != 0;

}  // namespace

bool ReadNumbers(const char*& at, const char* end, std::vector<double>& numbers) {
  return kHasWindows ? ReadByWindows(at, end, numbers) : ReadNumbersOneByOne(at, end, numbers);
}

}  // namespace lethe

#else

namespace lethe {

bool ReadNumbers(const char*& at, const char* end, std::vector<double>& numbers) {
  return ReadNumbersOneByOne(at, end, numbers);
}

}  // namespace lethe

#endif

namespace lethe {

bool ReadNumbersOneByOne(const char*& at, const char* end, std::vector<double>& numbers) {
  numbers.clear();
  for (;;) {
    if (!ReadNumber(at, end, numbers.emplace_back()) || at == end) return false;
    if (const char after = *at++; after != ',') return after == ']';
  }
}

}  // namespace lethe
