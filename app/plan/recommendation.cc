#include "app/plan/recommendation.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace lethe {
namespace {

// What to do, and the lines for it.
struct Advice {
  std::string text;
  std::string lines;
};

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

// The lines that mode passive needs before a deletion can be certified.
std::string PublicStepLines(const LearningSpec& learning) {
  if (learning.update != UpdateKind::kSgd && !learning.update_is_auto) {
    return "learning:\n  update: sgd\n";
  }
  return learning.schedule == ScheduleKind::kAdaptive ? "learning:\n  schedule: constant\n" : "";
}

// The lines that any mode needs before a deletion can be certified.
std::string CertifyingLines(const Spec& spec) {
  std::string lines;
  if (spec.noise.source != NoiseKind::kSystem) lines += "noise:\n  source: system\n";
  return lines;
}

// The keys of `forgetting` that lead to this mode with this deadline; 0: without one.
std::string ForgettingLines(const Forecast& forecast, const std::string& mode,
                            std::int64_t deadline) {
  std::string keys;
  if (forecast.mode != mode) keys += "  mode: " + mode + "\n";
  if (forecast.plan.spec.forgetting.calibration == Calibration::kPaper) {
    keys += "  calibration: ledger\n";
  }
  if (deadline > 0) keys += "  deadline: " + std::to_string(deadline) + "\n";
  return keys.empty() ? "" : "forgetting:\n" + keys;
}

std::string PassiveLines(const Forecast& forecast, std::int64_t deadline) {
  return PublicStepLines(forecast.plan.spec.learning) +
         ForgettingLines(forecast, "passive", deadline) + CertifyingLines(forecast.plan.spec);
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

// How to wait in mode passive until a deletion takes little noise.
Advice WithWait(const Forecast& forecast, std::string text) {
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
  return {text, PassiveLines(forecast, deadline)};
}

// Mode passive, which keeps no payloads.
Advice Passive(const Forecast& forecast) {
  std::string text =
      Format("Half of an event's influence is gone after %.3g events. ", forecast.half_life);
  text += "Deleting one of the latest events takes noise " + Size(forecast.ages.front().at_once);
  const std::string lines = PassiveLines(forecast, 0);
  if (!forecast.enough_wait) {
    return {text + "; no wait of up to " + Count(std::min(kLongestWait, forecast.events)) +
                " brings it down to " + PercentText(kSmallShare) +
                ". Faster fading would: a larger model.lambda or learning.eta.",
            lines};
  }
  if (*forecast.enough_wait > 0) return WithWait(forecast, text + "; ");
  return {text + ", which does no harm: requests can be served at once.", lines};
}

// What mode rewind does, keeps and costs.
std::string RewindText(const Forecast& forecast, bool is_all) {
  const RewindForecast& rewind = is_all ? forecast.rewind_all : forecast.rewind;
  std::string text = "Mode " + std::string(is_all ? "retrain" : "rewind") +
                     " is exact: it draws no noise, whatever the age of the events, and a deletion "
                     "takes effect at once. ";
  if (rewind.time_ms > 0) {
    text += "It keeps the payloads of " + RetentionText(rewind) +
            ", lets older events expire, and "
            "with " +
            Count(rewind.length) + " in that time takes " + UnitText(rewind.bytes, "B") + " and " +
            CostSentence(rewind) + ".";
  } else if (rewind.window.events == 0) {
    text += "It keeps the payloads of all events: " + UnitText(rewind.bytes, "B") + " after " +
            Count(forecast.events) + ", and then " + ShortText(rewind.any_age.ms) +
            " ms a deletion. Both grow with the stream. With mode rewind and a retention they do "
            "not.";
  } else {
    text += "It keeps the payloads of the last " + std::to_string(rewind.window.events) + " to " +
            Count(2 * rewind.window.events) + " (" + UnitText(rewind.bytes, "B") +
            " at most), lets older events expire, and takes " + CostSentence(rewind) + ".";
  }
  if (!forecast.plan.spec.forgetting.deadline.none()) {
    text += " Waiting saves nothing in this mode, so forgetting.deadline may go.";
  }
  return text;
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
  const Advice passive = Passive(forecast);
  const std::string refused =
      forecast.refused.empty() ? "" : "Mode " + forecast.mode + " is refused (see above). ";
  if (!forecast.rewind.refused.empty()) return {refused + passive.text, passive.lines, "", ""};
  const bool is_all = refused.empty() && forecast.mode == "retrain";
  std::string lines;
  if (!refused.empty() && forecast.mode == "rewind") {
    lines = "forgetting:\n  retention: auto\n";
  } else if (!is_all) {
    lines = ForgettingLines(forecast, "rewind", 0);
  }
  return {refused + RewindText(forecast, is_all), lines + CertifyingLines(forecast.plan.spec),
          "If payloads may not be kept: mode passive. " + passive.text, passive.lines};
}

}  // namespace lethe
