#include "app/plan/recommendation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace lethe {
namespace {

template <typename... Values>
std::string Format(const char* format, Values... values) {
  char text[400];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

std::string Count(std::int64_t events) { return std::to_string(events) + " events"; }

// The size of the noise relative to the model, in words.
std::string Size(const NoiseForecast& noise) {
  if (noise.share >= 1)
    return "larger than the model (" + PercentText(noise.share) + " of its radius)";
  const std::string percent = PercentText(noise.share);
  const bool is_tiny = percent.starts_with('<');
  return (is_tiny ? "below " + percent.substr(1) : "of " + percent) + " of the model's radius";
}

bool WaitsInEventTime(const ForgettingSpec& forgetting) {
  return forgetting.deadline.event_time_ms > 0 || forgetting.batch_window.event_time_ms > 0;
}

// The lines that a configuration needs before any deletion can be certified.
std::string CertifyingLines(const Spec& spec) {
  std::string lines;
  if (spec.learning.schedule == ScheduleKind::kAdaptive)
    lines += "learning:\n  schedule: constant\n";
  if (spec.noise.source != NoiseKind::kSystem) lines += "noise:\n  source: system\n";
  return lines;
}

// The keys of `forgetting` that lead to mode passive with this deadline; 0: without one.
std::string ForgettingLines(const Forecast& forecast, std::int64_t deadline) {
  std::string keys;
  if (forecast.mode != "passive") keys += "  mode: passive\n";
  if (forecast.plan.spec.forgetting.calibration == Calibration::kPaper) {
    keys += "  calibration: ledger\n";
  }
  if (deadline > 0) keys += "  deadline: " + std::to_string(deadline) + "\n";
  return keys.empty() ? "" : "forgetting:\n" + keys;
}

std::string Costs(const WorkForecast& work) {
  if (!std::isfinite(work.flops)) return "a pass over all payloads, which it keeps";
  return "about " + UnitText(work.flops, "flop") + " at each deletion and " +
         UnitText(work.bytes, "B") + " of payloads";
}

// What to do if a deletion must take effect at once.
std::string Otherwise(const Forecast& forecast) {
  const WorkForecast& active = forecast.active;
  const std::string begin = "If a deletion must take effect at once: mode ";
  if (active.refused.empty()) {
    return begin + "active takes noise " + Size(active.noise) + ", whatever the age, and costs " +
           Costs(active) + " (forgetting: {mode: active}).";
  }
  if (!forecast.retrain.refused.empty()) return "";
  return begin + "retrain is exact and learns up to " + Count(forecast.retrain.events) +
         " again (forgetting: {mode: retrain}).";
}

Recommendation WithoutForecast(const Forecast& forecast) {
  return {
      "Step sizes of schedule adaptive depend on the data, so nothing can be said before the run "
      "and nothing is certified after it. Choose a public schedule:",
      CertifyingLines(forecast.plan.spec), ""};
}

// The noise after the configured wait, in words; empty if there is no such wait.
std::string AfterConfigured(const Forecast& forecast) {
  if (!forecast.configured_wait) return "";
  const auto place =
      std::find(forecast.waits.begin(), forecast.waits.end(), *forecast.configured_wait);
  if (place == forecast.waits.end()) return "";
  const auto column = static_cast<std::size_t>(place - forecast.waits.begin());
  return "the configured wait of " + Count(*place) + " brings it to " +
         PercentText(forecast.ages.front().waited[column].share) + ", and ";
}

Recommendation WithWait(const Forecast& forecast, std::string text) {
  const Spec& spec = forecast.plan.spec;
  const std::int64_t wait = *forecast.enough_wait;
  const std::string share = PercentText(forecast.after_enough.share);
  const bool is_enough = forecast.configured_wait.value_or(0) >= wait;
  std::int64_t deadline = 0;
  if (WaitsInEventTime(spec.forgetting)) {
    text += Count(wait) + " later it takes " + share +
            ". The configured wait is one of event time: " + "it is long enough if " + Count(wait) +
            " are learned in it.";
  } else if (is_enough) {
    text += Count(wait) + " later it takes " + share + ", and the configured wait is that long.";
  } else {
    text +=
        AfterConfigured(forecast) + "a deadline of " + Count(wait) + " brings it to " + share + ".";
    deadline = wait;
  }
  return {text, ForgettingLines(forecast, deadline) + CertifyingLines(spec), Otherwise(forecast)};
}

// The recommendation if no wait is long enough.
Recommendation WithoutWait(const Forecast& forecast, std::string text) {
  text += "no wait of up to " + Count(kLongestWait) + " brings it down to " +
          PercentText(kSmallShare) + ". ";
  const bool is_active = forecast.active.refused.empty();
  const WorkForecast& work = is_active ? forecast.active : forecast.retrain;
  if (!work.refused.empty()) return {text, CertifyingLines(forecast.plan.spec), ""};
  text += is_active
              ? "Mode active takes noise " + Size(work.noise) + " and costs " + Costs(work) + "."
              : "Mode retrain is exact and costs " + Costs(work) + ".";
  return {text,
          std::string("forgetting:\n  mode: ") + (is_active ? "active" : "retrain") + "\n" +
              CertifyingLines(forecast.plan.spec),
          ""};
}

// The recommendation if the configured mode computes on the retained events: its cost, and the
// alternative.
Recommendation ForComputingMode(const Forecast& forecast) {
  const ForgettingSpec& forgetting = forecast.plan.spec.forgetting;
  std::string text;
  if (forecast.plan.mode->is_exact) {
    text = "Mode " + forecast.mode + " is exact: it draws no noise. ";
  } else if (forgetting.active.variant == ActiveVariant::kSecondOrder) {
    text = "Mode active takes noise " + Size(forecast.active.noise) +
           ", whatever the age, and costs " + Costs(forecast.active) + ". ";
  }
  if (forecast.enough_wait) {
    text += "Mode passive stores no payloads, computes nothing, and with a deadline of " +
            Count(*forecast.enough_wait) + " takes noise " + Size(forecast.after_enough) + ".";
  }
  return {text, CertifyingLines(forecast.plan.spec), ""};
}

}  // namespace

std::string PercentText(double share) {
  const double percent = 100 * share;
  if (percent > 0 && percent < 0.001) return "<0.001%";
  if (percent >= 1e7) return Format("%.1e%%", percent);
  return Format(percent >= 9.95 ? "%.0f%%" : "%.2g%%", percent);
}

std::string UnitText(double amount, const char* unit) {
  static constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  std::size_t prefix = 0;
  for (; amount >= 999.5 && prefix + 1 < std::size(kPrefixes); ++prefix) amount /= 1000;
  return Format("%.3g %s%s", amount, kPrefixes[prefix], unit);
}

Recommendation Recommend(const Forecast& forecast) {
  if (forecast.ages.empty()) return WithoutForecast(forecast);
  if (forecast.plan.mode->moves_model) {
    return ForComputingMode(forecast);
  }
  std::string text;
  if (!forecast.refused.empty()) text = "Mode " + forecast.mode + " is refused (see above). ";
  text += Format("Half of an event's influence is gone after %.3g events. ", forecast.half_life);
  text += "Deleting one of the latest events takes noise " + Size(forecast.ages.front().at_once);
  if (!forecast.enough_wait) return WithoutWait(forecast, text + "; ");
  if (*forecast.enough_wait > 0) return WithWait(forecast, text + "; ");
  text += ", which does no harm: requests can be served at once.";
  return {text, ForgettingLines(forecast, 0) + CertifyingLines(forecast.plan.spec), ""};
}

}  // namespace lethe
