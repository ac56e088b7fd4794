#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/status.h"

// How single values are written in a configuration file. Parsing takes the whole text or fails;
// the message of a failure continues a sentence that begins with the value ("'x' is not a number").
// What Format returns, Parse reads back to the same value.
namespace lethe::config {

// Finite and normal: a denormal is a typing error, and costs precision silently.
Result<double> ParseNumber(std::string_view text);

// Digits with an optional sign. Not 1e6 and not 010, which YAML tools read differently.
Result<std::int64_t> ParseInteger(std::string_view text);
Result<std::uint64_t> ParseUnsigned(std::string_view text);

// An integer and one of ms, s, m, h, d: "100ms". At most 100 years, so that sums cannot overflow.
Result<std::int64_t> ParseDurationMs(std::string_view text);
inline constexpr std::int64_t kLongestDurationMs = 36'500LL * 24 * 3600 * 1000;

// The shortest text that reads back exactly, in a form that YAML 1.1, YAML 1.2 and JSON all take
// for a number: 0.01, 12, 1.0e-6.
std::string FormatNumber(double value);
std::string FormatDurationMs(std::int64_t ms);

// For sentences, where 1000000 is clearer than 1.0e+6.
std::string NumberInProse(double value);

// In double quotes, with escapes that YAML and JSON share.
std::string Quote(std::string_view text);

// Well-formed UTF-8, without surrogates and overlong forms. On failure `*bad` is the first byte
// that does not fit.
bool IsUtf8(std::string_view text, std::size_t* bad = nullptr);

}  // namespace lethe::config
