#include "connectors/json/canonical.h"

#include <charconv>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lethe {
namespace {

bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

// Reads one text from front to back. Every Read moves behind what it read, or returns false.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool Skip(std::string_view expected) {
    if (!std::string_view(at_, left()).starts_with(expected)) return false;
    at_ += expected.size();
    return true;
  }
  bool is_at_end() const { return at_ == end_; }
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
  const char* at() const { return at_; }
  void MoveTo(const char* at) { at_ = at; }

  // Up to the next quotation mark, and over it.
  bool ReadReference(std::optional<std::string>& text) {
    const char* end = at_;
    while (end != end_ && *end != '"') {
      if (*end < ' ' || *end > '~' || *end == '\\') return false;  // whether char has a sign or not
      ++end;
    }
    const auto size = static_cast<std::size_t>(end - at_);
    if (end == end_ || size < 1 || size > kMaxIdBytes) return false;
    if (!text) text.emplace();
    text->assign(at_, size);
    at_ = end + 1;
    return true;
  }

  // A number as JSON has it.
  bool ReadNumber(double& number) {
    const char* end = at_;
    if (end != end_ && *end == '-') ++end;
    if (end == end_ || !IsDigit(*end)) return false;
    const bool begins_with_zero = *end++ == '0';
    if (begins_with_zero && end != end_ && IsDigit(*end)) return false;
    while (end != end_ && IsDigit(*end)) ++end;
    // Integers are another type there, with rules of their own.
    if (end == end_ || *end != '.') return ReadSmallInteger(end, number);
    if (!SkipDigits(++end)) return false;
    if (end != end_ && (*end == 'e' || *end == 'E')) {
      ++end;
      if (end != end_ && (*end == '-' || *end == '+')) ++end;
      if (!SkipDigits(end)) return false;
    }
    const auto [stop, error] = std::from_chars(at_, end, number);
    if (error != std::errc() || stop != end) return false;
    at_ = end;
    return true;
  }

 private:
  bool SkipDigits(const char*& at) const {
    const char* begin = at;
    while (at != end_ && IsDigit(*at)) ++at;
    return at != begin;
  }
  // Of so few digits that a double holds it exactly, and not with an exponent.
  bool ReadSmallInteger(const char* end, double& number) {
    if (end - at_ > 15 || (end != end_ && (*end == 'e' || *end == 'E'))) return false;
    std::int64_t integer = 0;
    std::from_chars(at_, end, integer);
    number = static_cast<double>(integer);
    at_ = end;
    return true;
  }

  const char* at_;
  const char* const end_;
};

#if defined(__x86_64__)

constexpr double kPowersOfTen[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
constexpr std::int64_t kExact = std::int64_t{1} << 53;

// At 16 - n: moves the first n of 16 bytes to the end, with zeros before them.
alignas(16) constexpr std::uint8_t kToEnd[32] = {
    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
    0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15};

// A digit, a point and up to 15 digits, which is what numbers between -10 and 10 look like, 16
// bytes at once. An integer below 2^53 over a power of ten is the nearest double: both are exact,
// and division rounds once. False, and nothing read, if it looks otherwise.
__attribute__((target("sse4.1"))) bool ReadShortDecimal(Cursor& cursor, double& number) {
  const char* at = cursor.at();
  if (cursor.left() < 19) return false;  // a sign, a digit, a point, and 16 bytes
  const bool is_negative = *at == '-';
  at += is_negative ? 1 : 0;
  if (!IsDigit(at[0]) || at[1] != '.') return false;
  const __m128i digits =
      _mm_sub_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at + 2)), _mm_set1_epi8('0'));
  const __m128i is_digit = _mm_cmpeq_epi8(_mm_min_epu8(digits, _mm_set1_epi8(9)), digits);
  const int others = ~_mm_movemask_epi8(is_digit) & 0xffff;
  if (others == 0 || (others & 1) != 0) return false;
  const int count = __builtin_ctz(static_cast<unsigned>(others));
  const __m128i aligned =
      _mm_shuffle_epi8(digits, _mm_loadu_si128(reinterpret_cast<const __m128i*>(kToEnd + count)));
  // Pairs of digits, then of pairs, then of fours.
  const __m128i twos = _mm_maddubs_epi16(
      aligned, _mm_set_epi8(1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10, 1, 10));
  const __m128i fours = _mm_madd_epi16(twos, _mm_set_epi16(1, 100, 1, 100, 1, 100, 1, 100));
  const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours),
                                        _mm_set_epi16(1, 10000, 1, 10000, 1, 10000, 1, 10000));
  const std::int64_t fraction =
      std::int64_t{_mm_cvtsi128_si32(eights)} * 100'000'000 + _mm_extract_epi32(eights, 1);
  // Behind the digits something of a number may follow, such as an exponent.
  const char after = at[2 + count];
  if (after != ',' && after != ']' && after != '}') return false;
  const auto power = static_cast<std::int64_t>(kPowersOfTen[count]);
  const std::int64_t mantissa = (at[0] - '0') * power + fraction;
  if (mantissa >= kExact) return false;
  const double magnitude = static_cast<double>(mantissa) / kPowersOfTen[count];
  number = is_negative ? -magnitude : magnitude;
  cursor.MoveTo(at + 2 + count);
  return true;
}

const bool kHasShortDecimal = __builtin_cpu_supports("sse4.1") != 0;

#else

bool ReadShortDecimal(Cursor&, double&) { return false; }
constexpr bool kHasShortDecimal = false;

#endif

bool ReadNumber(Cursor& cursor, double& number) {
  if (kHasShortDecimal && ReadShortDecimal(cursor, number)) return true;
  return cursor.ReadNumber(number);
}

bool ReadDense(Cursor& cursor, std::vector<double>& x) {
  x.clear();
  do {
    double number = 0;
    if (!ReadNumber(cursor, number)) return false;
    x.push_back(number);
  } while (cursor.Skip(","));
  return cursor.Skip("]");
}

}  // namespace

bool ReadCanonicalLearn(std::string_view text, std::optional<std::string_view> key, Event& event) {
  Cursor cursor(text);
  if (!cursor.Skip(R"({"type":"learn",)")) return false;
  if (!cursor.Skip(R"("id":")")) {
    event.id.reset();
  } else if (!cursor.ReadReference(event.id) || !cursor.Skip(",")) {
    return false;
  }
  if (!cursor.Skip(R"("subject":")")) {
    event.subject.reset();
  } else if (!cursor.ReadReference(event.subject) || !cursor.Skip(",")) {
    return false;
  }
  if (!cursor.Skip(R"("x":[)") || !ReadDense(cursor, event.x)) return false;
  if (!cursor.Skip(R"(,"y":)") || !ReadNumber(cursor, event.y)) return false;
  if (!cursor.Skip("}") || !cursor.is_at_end()) return false;
  if (key) {
    if (key->empty() || key->size() > kMaxIdBytes) return false;
    if (!event.subject) event.subject.emplace();
    event.subject->assign(*key);
  }
  event.kind = EventKind::kLearn;
  event.request.reset();
  event.named.clear();
  return true;
}

}  // namespace lethe
