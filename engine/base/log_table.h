#pragma once

namespace lethe::elementary {

// For elementary.cc: part i of [0.703125, 1.40625) with the inverse of its middle and minus the
// logarithm of that inverse, in two parts; the first is a multiple of 2^-42.
struct LogEntry {
  double inverse;
  double log_high;
  double log_low;
};
inline constexpr int kLogSteps = 128;
extern const LogEntry kLogTable[kLogSteps];

}  // namespace lethe::elementary
