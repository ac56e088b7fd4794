#include "app/generate/scaler.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <simdjson.h>

#include "app/config/nearest.h"
#include "app/generate/example_source.h"
#include "engine/base/check.h"

namespace lethe {
namespace {

namespace dom = simdjson::dom;

constexpr char kForm[] = R"(Expected: {"column": {"mean": 0.1, "deviation": 0.2}, ...})";

// Mean and deviation of one column. Values are taken relative to the first one, so that a column
// that does not vary has a deviation of exactly 0.
Scaler::Column Measure(const std::vector<std::vector<double>>& rows, std::size_t column) {
  const double first = rows.front()[column];
  const auto count = static_cast<double>(rows.size());
  double sum = 0;
  for (const auto& row : rows) sum += row[column] - first;
  const double mean = sum / count;
  double squares = 0;
  for (const auto& row : rows) {
    const double distance = row[column] - first - mean;
    squares += distance * distance;
  }
  const double deviation = std::sqrt(squares / count);
  return {first + mean, deviation == 0 ? 1 : deviation};
}

Status ReadColumn(const dom::element& element, Scaler::Column& column) {
  const auto number = [&](const char* key, double& value) {
    return element[key].get(value) == simdjson::SUCCESS && std::isfinite(value);
  };
  if (!element.is_object() || !number("mean", column.mean) ||
      !number("deviation", column.deviation)) {
    return {ErrorCode::kInput, R"(must be {"mean": number, "deviation": number})"};
  }
  if (!(column.deviation > 0)) return {ErrorCode::kInput, "deviation: must be above 0"};
  return Status::Ok();
}

}  // namespace

Result<Scaler> Scaler::FromRows(const std::vector<std::vector<double>>& rows,
                                const std::vector<std::string>& names, double clip) {
  LETHE_CHECK(!rows.empty());
  std::vector<Column> columns;
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns.push_back(Measure(rows, i));
    if (!std::isfinite(columns.back().mean) || !std::isfinite(columns.back().deviation)) {
      return Status(ErrorCode::kInput,
                    "column " + names[i] + ": is too large to be averaged; choose another unit");
    }
  }
  return Scaler(std::move(columns), clip);
}

Result<Scaler> Scaler::FromFile(const std::string& path, const std::vector<std::string>& names,
                                double clip) {
  const auto error = [&path](const std::string& problem) {
    return Status(ErrorCode::kInput, path + ": " + problem);
  };
  dom::parser parser;
  dom::object object;
  const auto parsed = parser.load(path).get(object);
  if (parsed != simdjson::SUCCESS) {
    return error(std::string(simdjson::error_message(parsed)) + " " + kForm);
  }
  std::vector<Column> columns(names.size());
  std::vector<bool> given(names.size());
  for (const dom::key_value_pair member : object) {
    const auto name = std::find(names.begin(), names.end(), member.key);
    if (name == names.end()) {
      const auto nearest = Nearest(member.key, names);
      return error("there is no feature column " + std::string(member.key) +
                   (nearest ? "; did you mean " + *nearest + "?" : ""));
    }
    const auto i = static_cast<std::size_t>(name - names.begin());
    if (given[i]) return error("column " + *name + ": is given twice");
    given[i] = true;
    const Status read = ReadColumn(member.value, columns[i]);
    if (!read.ok()) return error("column " + *name + ": " + read.message());
  }
  const auto missing = std::find(given.begin(), given.end(), false);
  if (missing != given.end()) {
    return error("column " + names[static_cast<std::size_t>(missing - given.begin())] +
                 ": is not given");
  }
  return Scaler(std::move(columns), clip);
}

void Scaler::Apply(std::vector<double>& x) const {
  LETHE_CHECK(x.size() == columns_.size());
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = std::clamp((x[i] - columns_[i].mean) / columns_[i].deviation, -clip_, clip_);
    squares += x[i] * x[i];
  }
  x.push_back(1);
  // A row at the mean has no direction and stays 0.
  const double norm = squares > 0 ? std::sqrt(squares) : 1;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double scale = i + 1 < x.size() ? norm : 1;
    x[i] = Rounded(x[i] / scale / std::numbers::sqrt2);
  }
}

}  // namespace lethe
