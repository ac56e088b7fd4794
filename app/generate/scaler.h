#pragma once

#include <string>
#include <vector>

#include "engine/base/status.h"

namespace lethe {

// The scaling of a table into the unit ball. Each column is centred by its mean, divided by its
// standard deviation, and clipped. Then each row is scaled to norm 1, a constant feature is added,
// and the row is divided by sqrt(2).
//
// Mean and deviation are fixed before the stream begins. If they kept learning, every event would
// influence the features of all later events, deleted events too, and no noise on the model could
// hide that. Immutable, so it may be used by several threads.
class Scaler {
 public:
  struct Column {
    double mean = 0;
    double deviation = 1;
  };

  Scaler(std::vector<Column> columns, double clip) : columns_(std::move(columns)), clip_(clip) {}

  // Takes mean and deviation from rows that are declared public. A column that does not vary in
  // them is only centred, because nothing is known about its scale. kInput if the values of a
  // column are too large to be averaged.
  static Result<Scaler> FromRows(const std::vector<std::vector<double>>& rows,
                                 const std::vector<std::string>& names, double clip);

  // Takes them from a file {"column": {"mean": 0.1, "deviation": 0.2}, ...} with exactly these
  // columns. kInput, with the reason, if the file cannot be used.
  static Result<Scaler> FromFile(const std::string& path, const std::vector<std::string>& names,
                                 double clip);

  // Replaces the features of a row by the scaled ones, and adds the constant feature.
  void Apply(std::vector<double>& x) const;

  const std::vector<Column>& columns() const { return columns_; }

 private:
  std::vector<Column> columns_;
  double clip_;
};

}  // namespace lethe
