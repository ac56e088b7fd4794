#include "app/plan/rewind_forecast.h"

#include <algorithm>
#include <cstdio>

#include "app/plan/work.h"
#include "engine/modes/checkpoints.h"
#include "engine/modes/online_unlearner.h"
#include "engine/spec/rewind_cost.h"

namespace lethe {
namespace {

// A rewind that takes a time T is followed by the next one 5 T after its beginning, so a fifth of
// the time goes to rewinding.
constexpr double kShareOfTime = 0.2;
constexpr int kEnds = 16;  // positions near the end at which a deletion is tried
constexpr int kTargets = 64;

class Mean {
 public:
  void Add(double value) {
    sum_ += value;
    ++count_;
  }
  double get() const { return count_ == 0 ? 0 : sum_ / count_; }

 private:
  double sum_ = 0;
  int count_ = 0;
};

// Lets a run of empty events lay the checkpoints that a real one has, and asks for each deletion
// which of them it continues from.
class Trial {
 public:
  explicit Trial(const Plan& plan)
      : run_(NewOnlineRun(plan.spec, plan.constants, plan.schedule, Ledger::Account::kStepsOnly)),
        checkpoints_(run_.model_dimension()) {}

  void LearnUntil(std::int64_t steps) {
    while (run_.ledger().steps() < steps) {
      run_.Skip();
      checkpoints_.Offer(run_);
    }
  }
  // Tries deletions of events at even distances among the last `range`.
  void Try(std::int64_t range, Mean& passed) const {
    const std::int64_t end = run_.ledger().steps();
    range = std::min(range, end);
    for (int i = 0; i < kTargets; ++i) {
      const std::int64_t age = (2 * i + 1) * range / (2 * kTargets);
      const OnlineRun* from = checkpoints_.Newest(end - 1 - age);
      passed.Add(static_cast<double>(end - (from != nullptr ? from->ledger().steps() : 0)));
    }
  }
  std::int64_t bytes() const { return checkpoints_.bytes(); }
  std::int64_t weights() const { return run_.model_dimension(); }

 private:
  OnlineRun run_;
  Checkpoints checkpoints_;
};

// The constants from which the pause between two rewinds follows.
RelearnForecast MakeWork(double events, const Plan& plan, std::int64_t weights) {
  const double ns = events * static_cast<double>(RewindNsPerPosition(plan.spec)) +
                    static_cast<double>(RewindNsToBegin(weights));
  const double ms = ns * 1e-6;
  return {.events = events, .ms = ms, .per_second = kShareOfTime * 1000 / ms};
}

const char* ReasonText(WindowReason reason) {
  switch (reason) {
    case WindowReason::kStated: return "half of the configured retention";
    case WindowReason::kTime: return "half of the configured retention";
    case WindowReason::kAll: return "";
    case WindowReason::kHalfLives: return "eight half-lives of the model (auto)";
    case WindowReason::kLeast:
      return "the least that auto takes, because eight half-lives are fewer";
    case WindowReason::kNoHalfLife: return "what auto takes for steps without a half-life";
    case WindowReason::kMemory: return "as many as 512 MB hold (auto)";
  }
  return "";
}

const char* Name(WindowReason reason) {
  switch (reason) {
    case WindowReason::kStated: return "retention";
    case WindowReason::kTime: return "time";
    case WindowReason::kAll: return "all";
    case WindowReason::kHalfLives: return "half_lives";
    case WindowReason::kLeast: return "least";
    case WindowReason::kNoHalfLife: return "no_half_life";
    case WindowReason::kMemory: return "memory";
  }
  return "";
}

void Write(const char* name, const RelearnForecast& work, JsonWriter& json) {
  json.Key(name).BeginObject().Field("events", work.events);
  json.Field("milliseconds", work.ms).Field("per_second", work.per_second).EndObject();
}

}  // namespace

RewindForecast ForecastRewind(const Spec& spec, std::int64_t events) {
  RewindForecast forecast;
  Spec changed = WithMode(spec, spec.forgetting.mode == "retrain" ? "retrain" : "rewind");
  const auto plan = Plan::Make(changed);
  if (!plan.ok()) {
    forecast.refused = plan.status().message();
    return forecast;
  }
  changed.forgetting.retention.all |= changed.forgetting.mode == "retrain";
  forecast.window = ChooseWindow(changed, plan.value().constants, plan.value().schedule);
  const std::int64_t window = forecast.window.events;
  forecast.length = window == 0 ? events : window + window / 2;
  forecast.time_ms = RewindWindowMs(changed.forgetting);
  forecast.event_bytes = BytesOfRetainedEvent(spec);

  Trial trial(plan.value());
  Mean any_age, recent;
  // An odd distance, since checkpoints lie at powers of two.
  const std::int64_t between = forecast.length / (16 * kEnds) | 1;
  for (int i = kEnds; i > 0; --i) {
    trial.LearnUntil(std::max<std::int64_t>(1, forecast.length - i * between));
    trial.Try(forecast.length, any_age);
    trial.Try(kRecentEvents, recent);
  }
  const std::int64_t most = window == 0 ? events : 2 * window;
  forecast.bytes =
      static_cast<double>(most) * forecast.event_bytes + static_cast<double>(trial.bytes());
  forecast.any_age = MakeWork(any_age.get(), plan.value(), trial.weights());
  forecast.recent = MakeWork(recent.get(), plan.value(), trial.weights());
  return forecast;
}

std::string ReasonText(const RewindForecast& forecast) {
  return ReasonText(forecast.window.reason);
}

std::string WindowText(const RewindForecast& forecast) {
  if (forecast.time_ms > 0) return ToText({.all = false, .events = 0, .time_ms = forecast.time_ms});
  return forecast.window.events == 0 ? "all" : std::to_string(forecast.window.events);
}

std::string RetentionText(const RewindForecast& forecast) {
  if (forecast.time_ms > 0)
    return ToText({.all = false, .events = 0, .time_ms = 2 * forecast.time_ms});
  const std::int64_t window = forecast.window.events;
  return window == 0 ? "all" : std::to_string(2 * window) + " events";
}

std::string WindowSentence(const RewindForecast& forecast) {
  const std::int64_t window = forecast.window.events;
  if (forecast.time_ms > 0) {
    return "no model depends on anything older than " + RetentionText(forecast) +
           "; memory and cost are for that many events in it: " + std::to_string(forecast.length);
  }
  if (window == 0) return "events do not expire; memory and cost grow with the stream";
  return "no model depends on anything older than " + std::to_string(2 * window) +
         " events; the window is " + std::to_string(window) + " events, " +
         ReasonText(forecast.window.reason);
}

std::string CostSentence(const RewindForecast& forecast) {
  std::string text = ShortText(forecast.any_age.ms) + " ms a deletion, " +
                     ShortText(forecast.recent.ms) + " ms for one of the last " +
                     std::to_string(kRecentEvents) + " events; ";
  const std::string rate = ShortText(forecast.any_age.per_second);
  return text + "up to " + rate + " a second one by one, and more share one";
}

void WriteRewind(const RewindForecast& forecast, JsonWriter& json) {
  json.BeginObject();
  if (!forecast.refused.empty()) {
    json.Field("refused", forecast.refused).EndObject();
    return;
  }
  const std::int64_t window = forecast.window.events;
  json.Key("window");
  window > 0 ? json.Value(window) : json.Null();
  json.Key("retention");
  window > 0 ? json.Value(2 * window) : json.Null();
  json.Key("retention_ms");
  forecast.time_ms > 0 ? json.Value(2 * forecast.time_ms) : json.Null();
  json.Field("decided_by", Name(forecast.window.reason)).Field("bytes", forecast.bytes);
  json.Field("event_bytes", forecast.event_bytes);
  Write("any_age", forecast.any_age, json);
  Write("recent", forecast.recent, json);
  json.EndObject();
}

std::string ShortText(double value) {
  char text[32];
  if (value >= 99.5) {
    std::snprintf(text, sizeof text, "%.0f", value);
  } else {
    std::snprintf(text, sizeof text, "%.2g", value);
  }
  return text;
}

}  // namespace lethe
