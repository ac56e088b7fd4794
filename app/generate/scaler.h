#pragma once

#include <string>
#include <vector>

#include "engine/base/status.h"

namespace lethe {

// Brings the features of a table to the unit ball: each column less its mean and over its standard
// deviation, clipped; then each row scaled to norm 1, a constant feature added, and all of it
// divided by sqrt(2).
//
// Mean and deviation are fixed before the stream begins. Ones that kept learning would carry every
// event into all later ones, the deleted ones too, and no noise on the model makes up for that.
class Scaler {
 public:
  struct Column {
    double mean = 0;
    double deviation = 1;
  };

  Scaler(std::vector<Column> columns, double clip) : columns_(std::move(columns)), clip_(clip) {}

  // From rows that are declared public. A column that does not vary there is centred only, because
  // nothing is known about its scale. Fails (kInput) when a column is too large to be averaged.
  static Result<Scaler> FromRows(const std::vector<std::vector<double>>& rows,
                                 const std::vector<std::string>& names, double clip);

  // From a file {"column": {"mean": 0.1, "deviation": 0.2}, ...} with exactly these columns. Fails
  // (kInput) with what is wrong with it.
  static Result<Scaler> FromFile(const std::string& path, const std::vector<std::string>& names,
                                 double clip);

  // Replaces the features of a row by the scaled ones; there is one more.
  void Apply(std::vector<double>& x) const;

  const std::vector<Column>& columns() const { return columns_; }

 private:
  std::vector<Column> columns_;
  double clip_;
};

}  // namespace lethe
