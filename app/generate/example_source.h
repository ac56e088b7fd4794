#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"

namespace lethe {

enum class Task { kClassification, kRegression };

// One example to be learned, and the person that it belongs to.
struct Sample {
  std::vector<double> x;
  double y = 0;
  std::optional<std::int64_t> person;
  double w = 1;  // the importance weight
};

// The source of the learn events of a generated stream. People are numbers from 0 on; the stream
// has their names. Not thread-safe. After an error it must not be used again.
class ExampleSource {
 public:
  virtual ~ExampleSource() = default;

  // Fills in the next example; false at the end.
  virtual Result<bool> Next(Sample& sample) = 0;

  // The total number of examples, if it is known in advance.
  virtual std::optional<std::int64_t> count() const = 0;

  // The number of people that are known in advance. Next may return others.
  virtual std::int64_t people() const = 0;

  virtual std::string PersonName(std::int64_t person) const {
    return "user-" + std::to_string(person);
  }
};

// The value with six decimals, rounded towards zero, so that a norm of at most 1 stays at most 1.
// Short numbers are fast to read.
inline double Rounded(double value) { return std::trunc(value * 1e6) / 1e6; }

}  // namespace lethe
