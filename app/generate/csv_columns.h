#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/generate/csv_reader.h"
#include "engine/base/status.h"

namespace lethe {

// Which columns of a CSV file are what, by the user's words.
struct CsvColumnNames {
  std::string label;
  std::string subject;            // empty: none
  std::vector<std::string> drop;  // no features
};

// The same as positions. Every column is a feature but the label, the subject and what is dropped.
struct CsvColumns {
  std::size_t label = 0;
  std::optional<std::size_t> subject;
  std::vector<std::size_t> features;
  std::vector<std::string> feature_names;

  // Fails (kInput) when there is no such column, or no feature.
  static Result<CsvColumns> Choose(const CsvReader& reader, const CsvColumnNames& names);
};

}  // namespace lethe
