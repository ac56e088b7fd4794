#include "app/plan/forecast.h"

#include <algorithm>
#include <utility>

#include "engine/learning/calibrator.h"
#include "engine/modes/online_unlearner.h"
#include "engine/spec/dimension.h"

namespace lethe {
namespace {

constexpr std::int64_t kAges[] = {1, 10, 100, 1000, 10'000, 100'000, 1'000'000};
constexpr std::int64_t kUsualWaits[] = {10, 100, 1000};

// The configured wait in events: the shorter of deadline and batch window. A wait in event time is
// left out, because its number of events is not known before the stream is.
std::optional<std::int64_t> ConfiguredWait(const ForgettingSpec& forgetting) {
  std::optional<std::int64_t> shortest;
  for (const Wait& wait : {forgetting.deadline, forgetting.batch_window}) {
    if (wait.event_time_ms > 0) return std::nullopt;
    if (wait.events > 0) shortest = std::min(wait.events, shortest.value_or(wait.events));
  }
  return shortest;
}

std::vector<std::int64_t> WaitsToShow(std::optional<std::int64_t> configured) {
  std::vector<std::int64_t> waits(std::begin(kUsualWaits), std::end(kUsualWaits));
  if (!configured || *configured > kLongestWait) return waits;
  const auto place = std::lower_bound(waits.begin(), waits.end(), *configured);
  if (place == waits.end() || *place != *configured) waits.insert(place, *configured);
  return waits;
}

// The forecast is of the noise that a deletion calls for. A shrink before the draw leaves less
// noise and less of the model too, so a wait must not be chosen by the noise that is left after it.
Spec WithoutShrink(Spec spec) {
  spec.forgetting.shrink = {.off = true, .norm = 0};
  return spec;
}

// A run of mode passive over empty events, with no deletion yet.
class EmptyRun {
 public:
  explicit EmptyRun(const Plan& plan)
      : plan_(plan),
        calibrator_(WithoutShrink(plan.spec), plan.constants, plan.budget),
        run_(NewOnlineRun(plan.spec, plan.constants, plan.schedule)) {
    if (plan.spec.forgetting.mode == "passive") run_.SetBlank(Ledger::Blank::kRegulariser);
  }

  void LearnUntil(std::int64_t steps) {
    while (run_.ledger().steps() < steps) run_.Skip();
  }

  // A request to delete the event of this age, as the calibrator holds it.
  Calibrator::Held Ask(std::int64_t age) const {
    return calibrator_.Hold({{run_.ledger().steps() - 1 - age}, {}}, run_);
  }

  // The noise of one draw for that event alone, now.
  Result<NoiseForecast> Noise(const Calibrator::Held& held) const {
    const auto forgetting = calibrator_.Calibrate({&held, 1}, run_);
    if (!forgetting.ok()) return forgetting.status();
    return MakeNoise(plan_, forgetting.value().sigma);
  }

  const OnlineRun& run() const { return run_; }

 private:
  const Plan& plan_;
  Calibrator calibrator_;
  OnlineRun run_;
};

Status AddAges(EmptyRun& run, Forecast& forecast) {
  std::vector<Calibrator::Held> asked;
  for (const std::int64_t age : kAges) {
    if (age >= forecast.events) break;
    asked.push_back(run.Ask(age));
    const auto noise = run.Noise(asked.back());
    if (!noise.ok()) return noise.status();
    const double influence = asked.back().on_curve.shift;
    const double extra = run.run().ExtraShift(noise.value().sigma);
    const bool hides_rounding =
        forecast.noise_plan.spec.forgetting.calibration == Calibration::kLedger;
    forecast.ages.push_back({.age = age,
                             .influence = influence,
                             .at_once = noise.value(),
                             .rounding = hides_rounding ? extra / (influence + extra) : 0,
                             .waited = {}});
  }
  for (const std::int64_t wait : forecast.waits) {
    run.LearnUntil(forecast.events + wait);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      const auto noise = run.Noise(asked[i]);
      if (!noise.ok()) return noise.status();
      forecast.ages[i].waited.push_back(noise.value());
    }
  }
  return Status::Ok();
}

// Round numbers that a person would choose: 0, 10, 20, 30, 50, 100, ...
std::vector<std::int64_t> RoundWaits() {
  std::vector<std::int64_t> waits{0};
  for (std::int64_t power = 10; power < kLongestWait; power *= 10) {
    for (const std::int64_t digit : {1, 2, 3, 5}) waits.push_back(digit * power);
  }
  waits.push_back(kLongestWait);
  return waits;
}

// Finds the shortest round wait after which deleting the newest event takes little noise, by trying
// the waits in ascending order on one run. Takes a copy of the run, because it goes on learning.
Status FindEnoughWait(EmptyRun run, Forecast& forecast) {
  const Calibrator::Held newest = run.Ask(kAges[0]);
  for (const std::int64_t wait : RoundWaits()) {
    if (wait > 0 && wait >= forecast.events) break;  // longer than the stream
    run.LearnUntil(forecast.events + wait);
    const auto noise = run.Noise(newest);
    if (!noise.ok()) return noise.status();
    if (noise.value().share > kSmallShare) continue;
    forecast.enough_wait = wait;
    forecast.after_enough = noise.value();
    break;
  }
  return Status::Ok();
}

// Steps that are known without the data, and so can be certified with noise.
Spec WithPublicSteps(Spec spec) {
  LearningSpec& learning = spec.learning;
  if (learning.update != UpdateKind::kSgd) learning.eta.reset();
  learning.update = UpdateKind::kSgd;
  if (learning.schedule == ScheduleKind::kAdaptive) {
    learning.schedule = ScheduleKind::kConstant;
    learning.eta.reset();
  }
  return spec;
}

// The configuration as it is, or with mode passive if its mode is refused.
Result<Forecast> Start(const Spec& spec, std::int64_t shards) {
  const auto plan = Plan::Make(spec, shards);
  if (plan.ok()) return Forecast(plan.value());
  const auto passive = Plan::Make(WithMode(spec, "passive"), shards);
  if (!passive.ok()) return plan.status();
  Forecast forecast(passive.value());
  forecast.mode = spec.forgetting.mode;
  forecast.refused = plan.status().message();
  return forecast;
}

}  // namespace

Result<Forecast> MakeForecast(const Spec& spec, std::int64_t events, std::int64_t shards) {
  auto started = Start(spec, shards);
  if (!started.ok()) return started;
  Forecast& forecast = started.value();
  Plan& plan = forecast.noise_plan;
  if (!plan.schedule.is_public()) {
    auto passive = Plan::Make(WithPublicSteps(WithMode(spec, "passive")), shards);
    if (!passive.ok()) return passive.status();
    plan = std::move(passive).value();
  }
  forecast.events = events;
  forecast.dimension = ModelDimension(forecast.plan.spec);
  forecast.active = ForecastActive(spec, events, shards);
  forecast.retrain = ForecastRetrain(forecast.plan.spec, events);
  forecast.rewind = ForecastRewind(WithMode(spec, "rewind"), events);
  if (!forecast.rewind.refused.empty()) {
    Spec automatic = spec;
    automatic.forgetting.retention = {};
    RewindForecast again = ForecastRewind(WithMode(automatic, "rewind"), events);
    if (again.refused.empty()) forecast.rewind = std::move(again);
  }
  forecast.rewind_all = ForecastRewind(WithMode(spec, "retrain"), events);

  EmptyRun run(plan);
  run.LearnUntil(events);
  forecast.step = plan.schedule.Step(events + 1);
  forecast.contraction = Contraction(plan.constants, forecast.step);
  forecast.half_life = run.run().HalfLife();
  forecast.round_off = run.run().ledger().RoundOff();
  LETHE_RETURN_IF_ERROR(FindEnoughWait(run, forecast));

  forecast.configured_wait = ConfiguredWait(plan.spec.forgetting);
  forecast.waits = WaitsToShow(forecast.configured_wait);
  LETHE_RETURN_IF_ERROR(AddAges(run, forecast));
  return started;
}

}  // namespace lethe
