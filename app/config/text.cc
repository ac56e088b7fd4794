#include "app/config/text.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

#include "engine/base/check.h"
#include "engine/base/json.h"

namespace lethe::config {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t ms;
  std::int64_t least;  // fewer than this read better in a smaller unit: 60s, 24h
};

constexpr Unit kUnits[] = {
    {"d", 24 * 3'600'000, 2}, {"h", 3'600'000, 1}, {"m", 60'000, 2}, {"s", 1000, 1}, {"ms", 1, 0}};

Status Wrong(std::string message) { return Status(ErrorCode::kConfig, std::move(message)); }

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Digits, without a leading zero: YAML 1.1 reads 010 as eight.
bool IsDecimal(std::string_view digits) {
  if (digits.empty() || (digits.size() > 1 && digits[0] == '0')) return false;
  for (char c : digits) {
    if (!IsDigit(c)) return false;
  }
  return true;
}

template <typename Integer>
Result<Integer> ParseWhole(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  if (!IsDecimal(text.substr(negative ? 1 : 0))) return Wrong("is not an integer");
  Integer value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return Wrong("is out of range");
  return value;
}

}  // namespace

Result<double> ParseNumber(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size() || error == std::errc::invalid_argument) {
    return Wrong("is not a number");
  }
  if (error != std::errc() || std::fpclassify(value) == FP_SUBNORMAL) {
    return Wrong("is too large or too close to 0 for a double");
  }
  if (!std::isfinite(value)) return Wrong("is not a finite number");
  return value;
}

Result<std::int64_t> ParseInteger(std::string_view text) { return ParseWhole<std::int64_t>(text); }

Result<std::uint64_t> ParseUnsigned(std::string_view text) {
  return ParseWhole<std::uint64_t>(text);
}

Result<std::int64_t> ParseDurationMs(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && IsDigit(text[digits])) ++digits;
  if (digits == 0) return Wrong("is not a duration");
  if (digits == text.size()) return Wrong("is a duration without a unit");
  for (const Unit& unit : kUnits) {
    if (text.substr(digits) != unit.name) continue;
    const Result<std::int64_t> count = ParseInteger(text.substr(0, digits));
    if (!count.ok()) return count.status();
    if (count.value() > kLongestDurationMs / unit.ms) return Wrong("is longer than 100 years");
    return count.value() * unit.ms;
  }
  return Wrong("is not a duration");
}

std::string FormatNumber(double value) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof(buffer), value);
  LETHE_CHECK(error == std::errc());
  std::string text(buffer, end);
  const std::size_t exponent = text.find('e');
  if (exponent == std::string::npos) return text;
  if (text[exponent + 2] == '0') text.erase(exponent + 2, 1);
  if (text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

std::string FormatDurationMs(std::int64_t ms) {
  for (const Unit& unit : kUnits) {
    if (ms % unit.ms == 0 && ms / unit.ms >= unit.least) {
      return std::to_string(ms / unit.ms) + std::string(unit.name);
    }
  }
  LETHE_CHECK(false);
}

std::string NumberInProse(double value) {
  char buffer[32];
  const bool whole = std::abs(value) < 1e7 && value == std::trunc(value);
  std::snprintf(buffer, sizeof(buffer), whole ? "%.0f" : "%g", value);
  std::string text = buffer;
  const std::size_t exponent = text.find("e+0");
  return exponent == std::string::npos ? text : text.erase(exponent + 1, 2);
}

std::string Quote(std::string_view text) {
  std::string quoted;
  AppendQuoted(text, quoted);
  // YAML, unlike JSON, does not take this character as it is.
  for (std::size_t at = 0; (at = quoted.find('\x7f', at)) != std::string::npos;) {
    quoted.replace(at, 1, "\\u007f");
  }
  return quoted;
}

bool IsUtf8(std::string_view text, std::size_t* bad) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto byte = [&](std::size_t k) -> unsigned {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0;
    };
    const unsigned lead = byte(0);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xc2 ? 0
                               : lead < 0xe0 ? 2
                               : lead < 0xf0 ? 3
                               : lead < 0xf5 ? 4
                                             : 0;
    bool good = length > 0;
    for (std::size_t k = 1; k < length; ++k) good = good && (byte(k) & 0xc0) == 0x80;
    // The second byte rules out overlong forms, surrogates and what lies above U+10FFFF.
    if (lead == 0xe0) good = good && byte(1) >= 0xa0;
    if (lead == 0xed) good = good && byte(1) < 0xa0;
    if (lead == 0xf0) good = good && byte(1) >= 0x90;
    if (lead == 0xf4) good = good && byte(1) < 0x90;
    if (!good) {
      if (bad != nullptr) *bad = i;
      return false;
    }
    i += length;
  }
  return true;
}

}  // namespace lethe::config
