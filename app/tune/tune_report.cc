#include "app/tune/tune_report.h"

#include <cmath>
#include <cstdio>
#include <iterator>

#include "app/config/print.h"
#include "engine/base/json.h"
#include "engine/spec/retention.h"

namespace lethe {
namespace {

constexpr std::size_t kShownTrials = 12;

std::string Cell(const char* format, std::optional<double> value) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof text, format, *value);
  return text;
}

// The first cell is prose; the others are numbers. What stands after the widths is prose again.
std::string Row(const std::vector<std::string>& cells) {
  static constexpr std::size_t kWidths[] = {26, 14, 9, 9, 8, 9, 10, 10, 10};
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i >= std::size(kWidths)) {
      row += "  " + cells[i];
      continue;
    }
    const std::string padding(kWidths[i] - std::min(kWidths[i], cells[i].size()), ' ');
    row += i == 0 ? cells[i] + padding : " " + padding + cells[i];
  }
  while (row.ends_with(' ')) row.pop_back();
  return row + "\n";
}

std::vector<std::string> SettingCells(const Spec& spec) {
  const LearningSpec& learning = spec.learning;
  const bool has_schedule = learning.update == UpdateKind::kSgd;
  const bool has_window = spec.forgetting.mode == "rewind";
  return {has_schedule ? Name(learning.schedule) : "-",
          learning.eta ? Cell("%.3g", learning.eta) : "auto", Cell("%.3g", spec.model.lambda),
          Cell("%.3g", spec.model.radius), has_window ? ToText(spec.forgetting.retention) : "-"};
}

bool IsRegression(const Quality& quality) { return quality.rmse.has_value(); }

std::vector<std::string> QualityCells(const Quality& quality) {
  if (IsRegression(quality)) {
    return {Cell("%.5g", quality.mean_loss), Cell("%.5g", quality.rmse), Cell("%.4f", quality.r2)};
  }
  return {Cell("%.5g", quality.mean_loss), Cell("%.4f", quality.accuracy),
          Cell("%.4f", quality.auc)};
}

std::string RowOf(std::string name, std::vector<std::string> settings,
                  const std::vector<std::string>& quality, const std::string& last = "") {
  settings.insert(settings.begin(), std::move(name));
  settings.insert(settings.end(), quality.begin(), quality.end());
  if (!last.empty()) settings.push_back(last);
  return Row(settings);
}

std::string Head(const char* name, bool regression, const char* last = "") {
  return RowOf(name, {"schedule", "eta", "lambda", "radius", "retention"},
               regression ? std::vector<std::string>{"mean loss", "RMSE", "R2"}
                          : std::vector<std::string>{"mean loss", "accuracy", "AUC"},
               last);
}

std::string ConstantRow(const Quality::Constant& constant, bool regression) {
  Quality quality;
  quality.mean_loss = constant.mean_loss;
  quality.accuracy = constant.accuracy;
  quality.rmse = constant.rmse;
  if (!regression) quality.rmse = {};
  return RowOf("(a constant)", {"-", "-", "-", "-", "-"}, QualityCells(quality));
}

std::string Certificate(const Comparison& one) {
  if (one.refused) return "refused: " + *one.refused;
  if (!one.why_not.empty()) return "no certificate: " + one.why_not.front();
  if (one.is_exact) return "exact";
  return "(" + Cell("%g", one.promise.epsilon) + ", " + Cell("%g", one.promise.delta) + ")";
}

std::string PerDeletion(const Comparison& one) {
  if (!one.result || one.deletions() == 0 || one.contender.name == "none") return "";
  const double ms = 1000 * one.result->deletion_seconds / static_cast<double>(one.deletions());
  return Cell("%.2g", ms) + " ms a deletion, ";
}

void WriteSettings(const Spec& spec, JsonWriter& json) {
  json.Field("update", Name(spec.learning.update));
  json.Field("schedule", Name(spec.learning.schedule)).Key("eta");
  spec.learning.eta ? json.Value(*spec.learning.eta) : json.Value("auto");
  json.Field("lambda", spec.model.lambda).Field("radius", spec.model.radius);
  json.Field("mode", spec.forgetting.mode);
  json.Field("retention", ToText(spec.forgetting.retention));
  json.Field("deadline_events", spec.forgetting.deadline.events);
}

}  // namespace

std::string TuneTable(const TuneResult& result) {
  if (result.trials.empty()) return "";
  const bool regression = IsRegression(result.trials.front().quality);
  std::string table = Head("learner, no deletions", regression);
  for (std::size_t i = 0; i < std::min(kShownTrials, result.trials.size()); ++i) {
    const Trial& trial = result.trials[i];
    table += RowOf(Name(trial.spec.learning.update), SettingCells(trial.spec),
                   QualityCells(trial.quality));
  }
  table += ConstantRow(result.constant, regression);
  if (result.modes.empty()) return table;
  table += "\n" + Head("with all deletions", regression, "certificate");
  for (const Comparison& one : result.modes) {
    table += RowOf(
        one.contender.name, SettingCells(one.contender.spec),
        one.result ? QualityCells(one.result->quality) : std::vector<std::string>{"-", "-", "-"},
        PerDeletion(one) + Certificate(one));
  }
  return table;
}

std::string TunedConfig(const Config& base, const TuneResult& result) {
  Config config = base;
  config.spec = *result.chosen;
  char text[400];
  std::snprintf(text, sizeof text, "# Chosen by lethe tune among %d runs on %lld rows.\n",
                result.runs, static_cast<long long>(result.rows));
  std::string file = text;
  if (const Comparison* chosen = result.Chosen(); chosen != nullptr && chosen->result) {
    const Quality& quality = chosen->result->quality;
    file += "# There, with all deletions: ";
    file += IsRegression(quality)
                ? "RMSE " + Cell("%.5g", quality.rmse) + " (of a constant " +
                      Cell("%.5g", quality.constant.rmse) + ")"
                : "accuracy " + Cell("%.4f", quality.accuracy) + " (of a constant " +
                      Cell("%.4f", quality.constant.accuracy) + "), log loss " +
                      Cell("%.5g", quality.log_loss);
    file += ".\n";
  }
  return file + PrintChanged(config);
}

std::string TuneJson(const Config& base, const TuneResult& result, double seconds) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.tune/1");
  json.Field("note", "figures of the whole recording: not covered by any certificate");
  json.Field("rows", result.rows).Field("refused_rows", result.refused_rows);
  json.Field("runs", std::int64_t{result.runs}).Field("seconds", seconds);
  json.Field("interrupted", result.interrupted).Key("learners").BeginArray();
  for (const Trial& trial : result.trials) {
    json.BeginObject();
    WriteSettings(trial.spec, json);
    json.Field("window", trial.window).Key("metrics");
    WriteQuality(trial.quality, trial.spec.model, json);
    json.EndObject();
  }
  json.EndArray().Key("modes").BeginArray();
  for (const Comparison& one : result.modes) {
    json.BeginObject().Field("name", one.contender.name);
    WriteSettings(one.contender.spec, json);
    json.Field("certificate", Certificate(one));
    json.Field("certified", !one.refused && one.why_not.empty());
    if (one.result) {
      json.Field("deletions", one.deletions());
      json.Field("deletion_seconds", one.result->deletion_seconds).Key("metrics");
      WriteQuality(one.result->quality, one.contender.spec.model, json);
    }
    json.EndObject();
  }
  json.EndArray().Key("chosen");
  if (result.chosen) {
    json.BeginObject();
    WriteSettings(*result.chosen, json);
    const Comparison* chosen = result.Chosen();
    if (chosen != nullptr && chosen->result) {
      json.Key("metrics");
      WriteQuality(chosen->result->quality, chosen->contender.spec.model, json);
    }
    json.EndObject().Field("config", TunedConfig(base, result));
  } else {
    json.Null();
  }
  return json.EndObject().text();
}

}  // namespace lethe
