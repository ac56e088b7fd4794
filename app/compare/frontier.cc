#include "app/compare/frontier.h"

#include <cmath>
#include <cstdio>

#include "engine/base/json.h"
#include "engine/plan.h"

namespace lethe {
namespace {

bool DependsOnBudget(const Spec& spec) {
  const auto plan = Plan::Make(spec);
  if (!plan.ok()) return true;  // perhaps another budget is accepted
  const ModeEntry& mode = *plan.value().mode;
  return !mode.is_exact && mode.why_never_certified == nullptr;
}

bool IsCertified(const Comparison& comparison) {
  return comparison.result && comparison.why_not.empty();
}

// The share of right guesses above one half, doubled; 0 for a mode that forgets exactly.
double Advantage(const Comparison& comparison) {
  return comparison.is_exact ? 0 : comparison.promise.advantage;
}

std::string Number(const char* format, std::optional<double> value) {
  if (!value) return "-";
  char text[32];
  std::snprintf(text, sizeof text, format, *value);
  return text;
}

// The root mean square of the noise's standard deviation per deletion; none without deletions.
std::optional<double> Sigma(const Comparison& comparison) {
  if (!comparison.result || comparison.deletions() == 0) return std::nullopt;
  return std::sqrt(comparison.result->total.noise_variance /
                   static_cast<double>(comparison.deletions()));
}

std::string Why(const Comparison& comparison) {
  if (!comparison.result) return "refused: " + comparison.refused.value_or("");
  if (!comparison.why_not.empty()) return "none: " + comparison.why_not.front();
  return comparison.is_exact ? "exact" : "yes";
}

}  // namespace

const std::vector<double>& DefaultSweep() {
  static const std::vector<double> sweep = {0.1, 0.3, 1, 3, 10};
  return sweep;
}

std::vector<Contender> Sweep(const std::vector<Contender>& contenders,
                             const std::vector<double>& epsilons) {
  std::vector<Contender> all;
  for (const Contender& contender : contenders) {
    if (!DependsOnBudget(contender.spec)) {
      all.push_back(contender);
      continue;
    }
    for (const double epsilon : epsilons) {
      Contender one = contender;
      const double delta = contender.spec.forgetting.budget.delta.value_or(kReportedDelta);
      one.spec.forgetting.budget = {.epsilon = epsilon, .delta = delta, .mu = {}, .rho = {}};
      all.push_back(std::move(one));
    }
  }
  return all;
}

std::string FrontierTable(const std::vector<Comparison>& comparisons) {
  char line[200];
  std::snprintf(line, sizeof line, "%-25s%9s%11s%10s%11s%10s  %s\n", "mode", "epsilon", "advantage",
                "accuracy", "mean loss", "sigma", "certified");
  std::string table = line;
  for (const Comparison& comparison : comparisons) {
    const auto& result = comparison.result;
    const bool has_budget = result && !comparison.is_exact;
    std::snprintf(line, sizeof line, "%-25s%9s%11s%10s%11s%10s  ",
                  comparison.contender.name.c_str(),
                  (has_budget ? Number("%g", comparison.promise.epsilon) : "-").c_str(),
                  (result ? Number("%.4f", Advantage(comparison)) : "-").c_str(),
                  (result ? Number("%.4f", result->accuracy) : "-").c_str(),
                  (result ? Number("%.4f", result->mean_loss) : "-").c_str(),
                  Number("%.2g", Sigma(comparison)).c_str());
    table += line + Why(comparison) + "\n";
  }
  return table;
}

std::string FrontierJson(const std::vector<Comparison>& comparisons) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.frontier/1");
  json.Field("note", "figures of the whole recording: not covered by any certificate");
  json.Key("points").BeginArray();
  for (const Comparison& comparison : comparisons) {
    json.BeginObject().Field("name", comparison.contender.name);
    json.Field("certified", IsCertified(comparison)).Field("certificate", Why(comparison));
    if (comparison.result) {
      const auto number = [&](const char* key, const std::optional<double>& value) {
        json.Key(key);
        value ? json.Value(*value) : json.Null();
      };
      json.Field("epsilon", comparison.promise.epsilon).Field("delta", comparison.promise.delta);
      json.Field("advantage", Advantage(comparison));
      number("accuracy", comparison.result->accuracy);
      number("mean_loss", comparison.result->mean_loss);
      number("sigma", Sigma(comparison));
    }
    json.EndObject();
  }
  return json.EndArray().EndObject().text();
}

}  // namespace lethe
