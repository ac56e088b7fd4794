#include "connectors/json/numbers.h"

#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lethe {
namespace {

bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

bool SkipDigits(const char*& at, const char* end) {
  const char* const begin = at;
  while (at != end && IsDigit(*at)) ++at;
  return at != begin;
}

// Of so few digits that a double holds it exactly.
bool ReadSmallInteger(const char*& at, const char* stop, double& number) {
  if (stop - at > 15) return false;
  std::int64_t integer = 0;
  std::from_chars(at, stop, integer);
  number = static_cast<double>(integer);
  at = stop;
  return true;
}

#if defined(__x86_64__)

constexpr int kMostDigits = 14;  // behind the point: all digits together are below 2^53 then
constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14};

// At n: keeps the last n of 16 bytes.
alignas(16) constexpr std::uint8_t kKeepLast[32] = {
    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,    0,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

// A digit, a point and up to 14 digits, which is what numbers between -10 and 10 look like, without
// a branch that depends on them. An integer below 2^53 over a power of ten is the nearest double:
// both are exact, and division rounds once. False if it looks otherwise.
__attribute__((target("sse4.2,popcnt"))) inline bool ReadShortDecimal(const char* at,
                                                                      const char* stop,
                                                                      double& number) {
  const std::ptrdiff_t sign = *at == '-' ? 1 : 0;
  const std::ptrdiff_t count = stop - at - sign - 2;
  if (count < 1 || count > kMostDigits) return false;
  const __m128i all = _mm_sub_epi8(
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(stop - kBehind)), _mm_set1_epi8('0'));
  const __m128i digits =
      _mm_and_si128(all, _mm_loadu_si128(reinterpret_cast<const __m128i*>(kKeepLast + count)));
  const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
  const auto units = static_cast<unsigned char>(at[sign] - '0');
  const bool is_short =
      (_mm_movemask_epi8(is_digit) == 0xffff) & (units <= 9) & (at[sign + 1] == '.');
  // Pairs of digits, then of pairs, then of fours.
  const __m128i twos = _mm_maddubs_epi16(
      digits, _mm_set_epi8(1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10));
  const __m128i fours = _mm_madd_epi16(twos, _mm_set_epi16(1, 100, 1, 100, 1, 100, 1, 100));
  const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours),
                                        _mm_set_epi16(1, 10000, 1, 10000, 1, 10000, 1, 10000));
  const auto halves = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  const auto fraction =
      static_cast<std::int64_t>((halves & 0xffffffff) * 100'000'000 + (halves >> 32));
  // The digit before the point times a power of ten, and the sum, are exact in doubles too.
  const double power = kPowersOfTen[count];
  const double magnitude = (units * power + static_cast<double>(fraction)) / power;
  number = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) |
                                 static_cast<std::uint64_t>(sign) << 63);
  return is_short;
}

constexpr std::ptrdiff_t kWindow = 64;

// Which of the 64 bytes end a number, up to the first bracket, and whether there is one.
struct Marks {
  std::uint64_t ends = 0;
  bool is_closed = false;
};

inline Marks MarksIn(const char* window) {
  std::uint64_t commas = 0;
  std::uint64_t brackets = 0;
  const auto mask = [](__m128i found) {
    return std::uint64_t{static_cast<std::uint16_t>(_mm_movemask_epi8(found))};
  };
  for (int i = 0; i < 4; ++i) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(window) + i);
    commas |= mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(','))) << (16 * i);
    brackets |= mask(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(']'))) << (16 * i);
  }
  return {(commas | brackets) & (brackets ^ (brackets - 1)), brackets != 0};
}

inline Marks MarksIn(const char* at, const char* end) {
  if (end - at >= kWindow) return MarksIn(at);
  char tail[kWindow] = {};
  std::memcpy(tail, at, static_cast<std::size_t>(end - at));
  return MarksIn(tail);
}

// Writes where the bits are, eight at a time: how many there are is hard to predict.
inline std::uint32_t* PutPlaces(std::uint64_t bits, std::uint32_t first, std::uint32_t* places) {
  std::uint32_t* const end = places + std::popcount(bits);
  do {
    for (int i = 0; i < 8; ++i) {
      *places++ = first + static_cast<std::uint32_t>(std::countr_zero(bits));
      bits &= bits - 1;
    }
  } while (bits != 0);
  return end;
}

// First looks where numbers end, 64 bytes at a time, then reads them: none waits for the one
// before.
__attribute__((target("sse4.2,popcnt"))) bool ReadByWindows(const char*& at, const char* end,
                                                            std::vector<double>& numbers) {
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
    for (std::size_t i = 0; i < found; ++i, ++count) {
      const char* const stop = begin + places[i];
      if (!ReadShortDecimal(at, stop, numbers[count]) &&
          (!ReadNumber(at, end, numbers[count]) || at != stop)) {
        return false;
      }
      at = stop + 1;
    }
  }
  numbers.resize(count);
  return true;
}

const bool kHasWindows =
    __builtin_cpu_supports("sse4.2") != 0 && __builtin_cpu_supports("popcnt") != 0;

#else

bool ReadByWindows(const char*&, const char*, std::vector<double>&) { return false; }
constexpr bool kHasWindows = false;

#endif

}  // namespace

bool ReadNumber(const char*& at, const char* end, double& number) {
  const char* stop = at;
  if (stop != end && *stop == '-') ++stop;
  if (stop == end || !IsDigit(*stop)) return false;
  const bool begins_with_zero = *stop++ == '0';
  if (begins_with_zero && stop != end && IsDigit(*stop)) return false;
  while (stop != end && IsDigit(*stop)) ++stop;
  // Integers are another type there, with rules of their own.
  const bool is_whole = stop == end || *stop != '.';
  if (is_whole && (stop == end || (*stop | 0x20) != 'e')) return ReadSmallInteger(at, stop, number);
  if (!is_whole && !SkipDigits(++stop, end)) return false;
  if (stop != end && (*stop == 'e' || *stop == 'E')) {
    ++stop;
    if (stop != end && (*stop == '-' || *stop == '+')) ++stop;
    if (!SkipDigits(stop, end)) return false;
  }
  const auto [read, error] = std::from_chars(at, stop, number);
  if (error != std::errc() || read != stop) return false;
  at = stop;
  return true;
}

bool ReadNumbers(const char*& at, const char* end, std::vector<double>& numbers) {
  if (kHasWindows) return ReadByWindows(at, end, numbers);
  numbers.clear();
  for (;;) {
    if (!ReadNumber(at, end, numbers.emplace_back()) || at == end) return false;
    if (const char after = *at++; after != ',') return after == ']';
  }
}

}  // namespace lethe
