#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/types.h"

namespace lethe {

// One row of series.csv: the figures after a number of learned events, or at an effective deletion.
// They are cumulative over the whole recording.
struct SeriesRow {
  ShardId shard;
  std::int64_t index = 0;
  std::optional<double> mean_loss;
  std::optional<double> accuracy;
  // At a deletion only.
  std::optional<double> shift;
  std::optional<double> sigma;
  std::optional<double> seconds;  // its duration; not in series.csv, which is repeatable
};

// series.csv: its header, and one line without the newline. The first row carries a note about what
// the figures cover, because a CSV file has no comments.
inline constexpr char kSeriesHeader[] = "index,mean_loss,accuracy,regret,shift,sigma,shard,note";
std::string SeriesLine(const SeriesRow& row, bool is_first);

// The rows as JSON for a chart: {"index":[...],"mean_loss":[...],"accuracy":[...],"deletions":
// {"count":n,"index":[...],"sigma":[...],"seconds":[...]}}. A long series is thinned out to every
// k-th row.
std::string SeriesJson(const std::vector<SeriesRow>& rows);

}  // namespace lethe
