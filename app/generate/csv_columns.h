#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/generate/csv_reader.h"
#include "engine/base/status.h"

namespace lethe {

// The roles of the columns of a CSV file, by name, as the user gives them.
struct CsvColumnNames {
  std::string label;
  std::string subject;            // empty: none
  std::vector<std::string> drop;  // columns that are ignored
};

// The roles of the columns, by position. Every column is a feature except for the label, the
// subject and the dropped ones.
struct CsvColumns {
  std::size_t label = 0;
  std::optional<std::size_t> subject;
  std::vector<std::size_t> features;
  std::vector<std::string> feature_names;

  // kInput if a named column does not exist, or if no feature is left.
  static Result<CsvColumns> Choose(const CsvReader& reader, const CsvColumnNames& names);
};

}  // namespace lethe
