#include "app/replay/series.h"

#include <algorithm>

#include "engine/base/json.h"

namespace lethe {
namespace {

// The most rows that a chart can show.
constexpr std::size_t kMostRows = 400;
constexpr std::size_t kMostDeletions = 1000;

using Rows = std::vector<const SeriesRow*>;

// Every k-th row, and the last one.
Rows Thinned(const Rows& rows, std::size_t most) {
  const std::size_t step = (rows.size() + most - 1) / std::max<std::size_t>(1, most);
  if (step <= 1) return rows;
  Rows kept;
  for (std::size_t i = 0; i < rows.size(); i += step) kept.push_back(rows[i]);
  if (kept.back() != rows.back()) kept.push_back(rows.back());
  return kept;
}

void WriteIndices(JsonWriter& json, const Rows& rows) {
  json.Key("index").BeginArray();
  for (const SeriesRow* row : rows) json.Value(row->index);
  json.EndArray();
}

void WriteColumn(JsonWriter& json, const char* name, const Rows& rows,
                 std::optional<double> SeriesRow::*column) {
  json.Key(name).BeginArray();
  for (const SeriesRow* row : rows) {
    const std::optional<double>& value = row->*column;
    value ? json.Value(*value) : json.Null();
  }
  json.EndArray();
}

}  // namespace

std::string SeriesLine(const SeriesRow& row, bool is_first) {
  const auto text = [](std::optional<double> x) { return x ? ToText(*x) : std::string(); };
  return std::to_string(row.index) + "," + text(row.mean_loss) + "," + text(row.accuracy) + ",," +
         text(row.shift) + "," + text(row.sigma) + "," + std::to_string(row.shard.value) + "," +
         (is_first ? "whole recording; not covered by the certificate" : "");
}

std::string SeriesJson(const std::vector<SeriesRow>& rows) {
  Rows all;
  Rows deletions;
  for (const SeriesRow& row : rows) {
    all.push_back(&row);
    if (row.sigma) deletions.push_back(&row);
  }
  const std::size_t count = deletions.size();
  all = Thinned(all, kMostRows);
  deletions = Thinned(deletions, kMostDeletions);
  JsonWriter json;
  json.BeginObject();
  WriteIndices(json, all);
  WriteColumn(json, "mean_loss", all, &SeriesRow::mean_loss);
  WriteColumn(json, "accuracy", all, &SeriesRow::accuracy);
  json.Key("deletions").BeginObject().Field("count", static_cast<std::int64_t>(count));
  WriteIndices(json, deletions);
  WriteColumn(json, "sigma", deletions, &SeriesRow::sigma);
  WriteColumn(json, "seconds", deletions, &SeriesRow::seconds);
  return json.EndObject().EndObject().text();
}

}  // namespace lethe
