#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status.h"

namespace lethe {

enum class Task { kClassification, kRegression };

// One example to be learned, and whose it is.
struct Sample {
  std::vector<double> x;
  double y = 0;
  std::optional<std::int64_t> person;
};

// Where the learn events of a generated stream come from. People are numbers from 0 on; their
// names are what stands in the stream. Not thread-safe.
class ExampleSource {
 public:
  virtual ~ExampleSource() = default;

  // Fills in the next example; false at the end.
  virtual Result<bool> Next(Sample& sample) = 0;

  // How many examples there are in total, where that is known in advance.
  virtual std::optional<std::int64_t> count() const = 0;

  // How many people are known in advance; more may turn up.
  virtual std::int64_t people() const = 0;

  virtual std::string PersonName(std::int64_t person) const {
    return "user-" + std::to_string(person);
  }
};

// Six decimals, towards zero: the norm stays at most 1, and short numbers are fast to read.
inline double Rounded(double value) { return std::trunc(value * 1e6) / 1e6; }

}  // namespace lethe
