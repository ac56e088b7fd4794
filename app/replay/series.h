#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/types.h"

namespace lethe {

// How a replay stood after so many learned events, or at an effective deletion. Cumulative over the
// whole recording.
struct SeriesRow {
  ShardId shard;
  std::int64_t index = 0;
  std::optional<double> mean_loss;
  std::optional<double> accuracy;
  // At a deletion only.
  std::optional<double> shift;
  std::optional<double> sigma;
  std::optional<double> seconds;  // what it took; not in series.csv, which is repeatable
};

// series.csv: its head, and a line without its end. The first row carries the note, so that the
// file says it without a line that is no row.
inline constexpr char kSeriesHeader[] = "index,mean_loss,accuracy,regret,shift,sigma,shard,note";
std::string SeriesLine(const SeriesRow& row, bool is_first);

// The same for a chart: {"index":[...],"mean_loss":[...],"accuracy":[...],"deletions":{"count":n,
// "index":[...],"sigma":[...],"seconds":[...]}}. A long one is thinned out to every k-th row.
std::string SeriesJson(const std::vector<SeriesRow>& rows);

}  // namespace lethe
