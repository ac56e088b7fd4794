#include "app/compare/table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>

#include "app/replay/remedies.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

// The figures of one run. A figure that does not apply is empty.
struct Figures {
  Quality quality;
  std::optional<double> regret, sigma;
  std::optional<double> learn_gradients, learn_seconds, gradients, seconds;
  std::int64_t bytes = 0;

  std::optional<double> milliseconds() const {
    return seconds ? std::optional(1000 * *seconds) : std::nullopt;
  }
  // Deletions that a fifth of the time serves one by one, which is what mode rewind takes for them.
  std::optional<double> per_second() const {
    return seconds && *seconds > 0 ? std::optional(0.2 / *seconds) : std::nullopt;
  }
};

Figures FiguresOf(const Comparison& comparison) {
  const ReplayResult& result = *comparison.result;
  Figures figures{.quality = result.quality,
                  .regret = result.regret(),
                  .sigma = {},
                  .learn_gradients = {},
                  .learn_seconds = {},
                  .gradients = {},
                  .seconds = {}};
  std::int64_t gradients = 0, learn_gradients = 0;
  for (const ShardResult& shard : result.shards) {
    gradients += shard.deletion_gradients;
    learn_gradients += shard.learn_gradients;
    figures.bytes += shard.payload_bytes + shard.held_bytes;
  }
  if (const auto deletions = static_cast<double>(comparison.deletions()); deletions > 0) {
    figures.sigma = std::sqrt(result.total.noise_variance / deletions);
    figures.seconds = result.deletion_seconds / deletions;
    figures.gradients = static_cast<double>(gradients) / deletions;
  }
  if (const auto learned = static_cast<double>(result.total.learned + result.total.updates);
      learned > 0) {
    figures.learn_gradients = static_cast<double>(learn_gradients) / learned;
    figures.learn_seconds = (result.seconds - result.deletion_seconds) / learned;
  }
  return figures;
}

std::string Cell(const char* format, std::optional<double> value) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof text, format, *value);
  return text;
}

std::string Bytes(std::int64_t bytes) {
  static constexpr const char* kUnits[] = {"B", "kB", "MB", "GB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; value >= 1000 && unit < 3; ++unit) value /= 1000;
  return Cell("%.3g ", value) + kUnits[unit];
}

// Pads the cells to the widths of the columns, except for the last one, which is prose.
std::string Row(const std::vector<std::string>& cells) {
  static constexpr std::size_t kWidths[] = {25, 10, 9, 9, 9, 9, 9, 8, 11, 9, 10, 9, 9, 9, 9, 6};
  std::string row;
  for (std::size_t i = 0; i < std::size(kWidths); ++i) {
    const std::string padding(kWidths[i] - std::min(kWidths[i], cells[i].size()), ' ');
    row += i == 0 ? cells[i] + padding : padding + cells[i];
  }
  return row + "  " + cells.back() + "\n";
}

std::string Certificate(const Comparison& comparison) {
  if (!comparison.why_not.empty()) return "none: " + comparison.why_not.front();
  if (comparison.is_exact) return "exact";
  return "(" + Cell("%g", comparison.promise.epsilon) + ", " +
         Cell("%g", comparison.promise.delta) + ")";
}

const char* YesNo(bool value) { return value ? "yes" : "no"; }

// How many events a run left out, by reason; empty if none.
std::string Refused(const Counters& total) {
  std::string reasons;
  std::int64_t all = 0;
  const auto add = [&](const char* reason, std::int64_t count) {
    if (count == 0) return;
    all += count;
    reasons += (reasons.empty() ? "" : ", ") + std::to_string(count) + " " + reason;
  };
  for (std::size_t i = 0; i < total.rejected.size(); ++i) {
    add(ReasonName(static_cast<Reason>(i)), total.rejected[i]);
  }
  add("refused_late", total.refused_late);
  if (all == 0) return "";
  return std::to_string(all) + " of " + std::to_string(total.records) +
         " records were refused: " + reasons;
}

}  // namespace

std::string RefusedLines(const std::vector<Comparison>& comparisons) {
  std::map<std::string, std::string> modes;
  Counters seen;
  for (const Comparison& comparison : comparisons) {
    if (!comparison.result) continue;
    seen.Add(comparison.result->total);
    const std::string refused = Refused(comparison.result->total);
    if (refused.empty()) continue;
    std::string& names = modes[refused];
    names += (names.empty() ? "" : ", ") + comparison.contender.name;
  }
  std::string lines;
  for (const auto& [refused, names] : modes) {
    lines += "warning: " + refused + (modes.size() > 1 ? " (" + names + ")" : "") + "\n";
  }
  return lines + RemediesOf(seen);
}

std::string WarningLines(const std::vector<Comparison>& comparisons) {
  std::map<std::string, std::string> modes;
  for (const Comparison& comparison : comparisons) {
    for (const std::string& warning : comparison.warnings) {
      std::string& names = modes[warning];
      names += (names.empty() ? "" : ", ") + comparison.contender.name;
    }
  }
  std::string lines;
  for (const auto& [warning, names] : modes) lines += "warning: " + names + ": " + warning + "\n";
  return lines;
}

std::string CompareTable(const std::vector<Comparison>& comparisons) {
  const auto with_result =
      std::find_if(comparisons.begin(), comparisons.end(),
                   [](const Comparison& comparison) { return comparison.result.has_value(); });
  const bool is_regression =
      with_result != comparisons.end() && with_result->result->quality.rmse.has_value();
  const auto quality_cells = [&](const Quality& q) -> std::vector<std::string> {
    if (is_regression) {
      return {Cell("%.5g", q.mean_loss), Cell("%.5g", q.rmse), Cell("%.5g", q.mae),
              Cell("%.4f", q.r2)};
    }
    return {Cell("%.5g", q.mean_loss), Cell("%.4f", q.accuracy), Cell("%.4f", q.auc),
            Cell("%.5g", q.brier)};
  };
  const auto row = [](std::string name, std::vector<std::string> quality,
                      const std::vector<std::string>& rest) {
    quality.insert(quality.begin(), std::move(name));
    quality.insert(quality.end(), rest.begin(), rest.end());
    return Row(quality);
  };
  const std::vector<std::string> nothing(11, "-");
  const auto blank = [&nothing](const std::string& last) {
    std::vector<std::string> cells = nothing;
    cells.push_back(last);
    return cells;
  };
  // Per learn event, then per deletion: gradients and seconds.
  std::string table =
      row("mode",
          is_regression ? std::vector<std::string>{"mean loss", "RMSE", "MAE", "R2"}
                        : std::vector<std::string>{"mean loss", "accuracy", "AUC", "Brier"},
          {"regret", "sigma", "window", "grad/learn", "s/learn", "grad/del", "ms/del", "del/s",
           "stored", "adaptive", "joint", "certificate"});
  for (const Comparison& comparison : comparisons) {
    if (!comparison.result) {
      table += row(comparison.contender.name, {"-", "-", "-", "-"},
                   blank("refused: " + comparison.refused.value_or("")));
      continue;
    }
    const Figures f = FiguresOf(comparison);
    table +=
        row(comparison.contender.name, quality_cells(f.quality),
            {Cell("%.1f", f.regret), Cell("%.2g", f.sigma),
             comparison.window.empty() ? "-" : comparison.window, Cell("%.3g", f.learn_gradients),
             Cell("%.1e", f.learn_seconds), Cell("%.4g", f.gradients),
             Cell("%.2g", f.milliseconds()), Cell("%.0f", f.per_second()), Bytes(f.bytes),
             YesNo(comparison.is_adaptive), YesNo(comparison.is_joint), Certificate(comparison)});
  }
  if (with_result == comparisons.end()) return table;
  const Quality::Constant& constant = with_result->result->quality.constant;
  Quality of_constant;
  of_constant.mean_loss = constant.mean_loss;
  of_constant.accuracy = constant.accuracy;
  of_constant.rmse = constant.rmse;
  of_constant.mae = constant.mae;
  return table +
         row("(a constant)", quality_cells(of_constant),
             blank(is_regression ? "the mean label so far" : "the most frequent class so far"));
}

std::string CompareJson(const std::vector<Comparison>& comparisons) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.comparison/1");
  json.Field("note", "figures of the whole recording: not covered by any certificate");
  json.Key("modes").BeginArray();
  for (const Comparison& comparison : comparisons) {
    json.BeginObject().Field("name", comparison.contender.name);
    json.Field("mode", comparison.contender.spec.forgetting.mode);
    if (!comparison.result) {
      json.Field("refused", comparison.refused.value_or("")).EndObject();
      continue;
    }
    const Figures f = FiguresOf(comparison);
    const auto number = [&](const char* key, const std::optional<double>& value) {
      json.Key(key);
      value ? json.Value(*value) : json.Null();
    };
    const Counters& total = comparison.result->total;
    json.Field("records", total.records).Field("learned", total.learned);
    json.Field("updates", total.updates).Field("duplicates", total.duplicates);
    json.Field("refused_late", total.refused_late).Key("rejected").BeginObject();
    for (std::size_t i = 0; i < total.rejected.size(); ++i) {
      if (total.rejected[i] == 0) continue;
      json.Field(ReasonName(static_cast<Reason>(i)), total.rejected[i]);
    }
    json.EndObject();
    number("accuracy", f.quality.accuracy);
    number("mean_loss", f.quality.mean_loss);
    json.Key("metrics");
    WriteQuality(f.quality, comparison.contender.spec.model, json);
    number("regret", f.regret);
    if (const auto sample = comparison.result->regret_sample) json.Field("regret_sample", *sample);
    number("regret_bound", comparison.result->regret_bound);
    number("sigma", f.sigma);
    number("gradients_per_learn", f.learn_gradients);
    number("seconds_per_learn", f.learn_seconds);
    number("seconds_per_deletion", f.seconds);
    number("gradients_per_deletion", f.gradients);
    number("deletions_per_second", f.per_second());
    json.Key("window");
    if (comparison.window.empty()) {
      json.Null();
    } else {
      json.Value(comparison.window);
    }
    json.Field("deletions", comparison.deletions()).Field("bytes_stored", f.bytes);
    json.Field("seconds", comparison.result->seconds);
    json.Field("certified", comparison.why_not.empty()).Field("exact", comparison.is_exact);
    json.Field("joint", comparison.is_joint);
    json.Field("adaptive_requests", comparison.is_adaptive);
    json.Field("certificate", Certificate(comparison));
    json.Key("why_not").BeginArray();
    for (const std::string& reason : comparison.why_not) json.Value(reason);
    json.EndArray().Key("warnings").BeginArray();
    for (const std::string& warning : comparison.warnings) json.Value(warning);
    json.EndArray().EndObject();
  }
  return json.EndArray().EndObject().text();
}

}  // namespace lethe
