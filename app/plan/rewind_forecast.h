#pragma once

#include <cstdint>
#include <string>

#include "engine/base/json.h"
#include "engine/plan.h"
#include "engine/spec/retention.h"

namespace lethe {

// The work of one deletion in mode rewind.
struct RelearnForecast {
  double events = 0;      // positions that are passed again, on average
  double ms = 0;          // without the commit
  double per_second = 0;  // one by one, each at once; more than that share a rewind
};

// What mode rewind keeps, and what a deletion takes. A function of the configuration alone.
struct RewindForecast {
  std::string refused;  // why this configuration does not allow the mode; empty: it does
  WindowChoice window;
  std::int64_t time_ms = 0;  // W in event time; 0: it is not one in time
  std::int64_t length = 0;   // of the run that a deletion finds: 1.5 W, or all events
  double bytes = 0;          // the most that payloads, names and checkpoints take
  double event_bytes = 0;    // of one retained event
  RelearnForecast any_age;   // of an event of the run, all equally likely
  RelearnForecast recent;    // of one of the last kRecentEvents
};

// As `lethe generate --pattern recent` has them.
inline constexpr std::int64_t kRecentEvents = 200;

// The forecast for a shard that has learned `events` events, in mode rewind with the retention of
// the spec, or in mode retrain if the spec has that.
RewindForecast ForecastRewind(const Spec& spec, std::int64_t events);

// "100000", "15d", "all".
std::string WindowText(const RewindForecast& forecast);
// "200000 events", "30d", "all".
std::string RetentionText(const RewindForecast& forecast);
// What decided the window, in words; empty if it has no end.
std::string ReasonText(const RewindForecast& forecast);
// What is retained, and what decided it: "no model depends on anything older than 200000 events;
// the window is half of that (auto: ...)".
std::string WindowSentence(const RewindForecast& forecast);
// What a deletion costs and how many there may be, in words.
std::string CostSentence(const RewindForecast& forecast);
void WriteRewind(const RewindForecast& forecast, JsonWriter& json);
// Milliseconds, per second: "4.1", "0.012", "50".
std::string ShortText(double value);

}  // namespace lethe
