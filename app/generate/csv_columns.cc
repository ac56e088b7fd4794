#include "app/generate/csv_columns.h"

#include <algorithm>

#include "app/config/nearest.h"

namespace lethe {
namespace {

Result<std::size_t> Find(const CsvReader& reader, const char* option, const std::string& name) {
  const auto& columns = reader.columns();
  const auto found = std::find(columns.begin(), columns.end(), name);
  if (found != columns.end()) return static_cast<std::size_t>(found - columns.begin());
  std::string message = reader.name() + ": " + option + ": there is no column " + name;
  if (const auto nearest = Nearest(name, columns)) {
    message += "; did you mean " + *nearest + "?";
  } else if (columns.size() == 1) {
    message += "; the header has one column only: cells are separated by commas";
  }
  return Status(ErrorCode::kInput, message);
}

}  // namespace

Result<CsvColumns> CsvColumns::Choose(const CsvReader& reader, const CsvColumnNames& names) {
  CsvColumns chosen;
  std::vector<bool> is_feature(reader.columns().size(), true);
  const auto take = [&](const char* option, const std::string& name) -> Result<std::size_t> {
    auto column = Find(reader, option, name);
    if (column.ok()) is_feature[column.value()] = false;
    return column;
  };
  const auto label = take("--label", names.label);
  if (!label.ok()) return label.status();
  chosen.label = label.value();
  if (!names.subject.empty()) {
    const auto subject = take("--subject-column", names.subject);
    if (!subject.ok()) return subject.status();
    chosen.subject = subject.value();
  }
  for (const std::string& name : names.drop) {
    const auto dropped = take("--drop", name);
    if (!dropped.ok()) return dropped.status();
  }
  for (std::size_t i = 0; i < is_feature.size(); ++i) {
    if (!is_feature[i]) continue;
    chosen.features.push_back(i);
    chosen.feature_names.push_back(reader.columns()[i]);
  }
  if (!chosen.features.empty()) return chosen;
  return Status(ErrorCode::kInput, reader.name() + ": no column is left to be a feature");
}

}  // namespace lethe
