#include "connectors/json/numbers.h"

#include <charconv>
#include <cstdint>

namespace lethe {
namespace {

bool IsDigit(char c) { return static_cast<unsigned char>(c - '0') <= 9; }

bool SkipDigits(const char*& at, const char* end) {
  const char* const begin = at;
  while (at != end && IsDigit(*at)) ++at;
  return at != begin;
}

// Reads an integer of at most 15 characters, which a double holds exactly.
bool ReadSmallInteger(const char*& at, const char* stop, double& number) {
  if (stop - at > 15) return false;
  std::int64_t integer = 0;
  std::from_chars(at, stop, integer);
  number = static_cast<double>(integer);
  at = stop;
  return true;
}

}  // namespace

bool ReadNumber(const char*& at, const char* end, double& number) {
  const char* stop = at;
  if (stop != end && *stop == '-') ++stop;
  if (stop == end || !IsDigit(*stop)) return false;
  const bool begins_with_zero = *stop++ == '0';
  if (begins_with_zero && stop != end && IsDigit(*stop)) return false;
  while (stop != end && IsDigit(*stop)) ++stop;
  // simdjson reads a number without fraction and exponent as an integer and then converts it.
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

}  // namespace lethe
