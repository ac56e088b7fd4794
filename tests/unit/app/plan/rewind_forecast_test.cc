// What `plan` and `check` say of mode rewind, against what it then does.

#include "app/plan/rewind_forecast.h"

#include <gtest/gtest.h>

#include "app/plan/forecast.h"
#include "connectors/system/sodium_random.h"
#include "engine/plan.h"
#include "engine/spec/rewind_cost.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/passive_spec.h"

namespace lethe::rewind_forecast_test {
namespace {

Forecast Make(const Spec& spec, std::int64_t events = kDefaultEvents) {
  auto forecast = MakeForecast(spec, events);
  EXPECT_TRUE(forecast.ok()) << forecast.status().message();
  return std::move(forecast).value();
}

TEST(RewindForecastTest, TheWindowAndItsCostAreForecast) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 20;
  spec.forgetting.mode = "rewind";
  spec.forgetting.retention.events = 20'000;
  const RewindForecast rewind = Make(spec).rewind;
  EXPECT_EQ(rewind.window.events, 10'000);
  EXPECT_EQ(rewind.length, 15'000);
  EXPECT_EQ(rewind.window.reason, WindowReason::kStated);
  // Half of the run, and half of the distance between two checkpoints.
  EXPECT_GT(rewind.any_age.events, 7'500);
  EXPECT_LT(rewind.any_age.events, 9'000);
  EXPECT_GE(rewind.recent.events, 100);
  EXPECT_LT(rewind.recent.events, 400);
  EXPECT_NEAR(rewind.any_age.ms,
              1e-6 * (rewind.any_age.events * static_cast<double>(RewindNsPerPosition(spec)) +
                      static_cast<double>(RewindNsToBegin(20))),
              1e-12);
  // A fifth of the time.
  EXPECT_NEAR(rewind.any_age.per_second * rewind.any_age.ms, 200, 1e-6);
  EXPECT_GE(rewind.bytes, 20'000 * rewind.event_bytes);

  spec.forgetting.retention = {.all = true, .events = 0, .time_ms = 0};
  const Forecast all = Make(spec, 100'000);
  EXPECT_EQ(all.rewind.length, 100'000);
  EXPECT_EQ(all.rewind.any_age.events, all.rewind_all.any_age.events);
}

// The forecast against real rewinds, which are counted by the gradients that they compute.
TEST(RewindForecastTest, TheForecastOfARewindIsWhatOneThenPasses) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  spec.forgetting.mode = "rewind";
  spec.forgetting.retention.events = 4'000;
  const RewindForecast forecast = Make(spec).rewind;
  const Plan plan = Plan::Make(spec).value();
  double relearned = 0;
  constexpr int kTries = 40;
  for (int i = 0; i < kTries; ++i) {
    MemoryPayloads payloads;
    SeededRandom random(1);
    const auto unlearner = MakeUnlearner(plan, {0}, random, payloads);
    for (std::int64_t n = 0; n < forecast.length; ++n) {
      unlearner->Learn({Vector::Constant(2, 0.1), 1});
    }
    const Target target{{forecast.length * (2 * i + 1) / (2 * kTries)}, {}};
    unlearner->Release({&target, 1});
    ASSERT_TRUE(unlearner->Forget({&target, 1}).ok());
    relearned += static_cast<double>(unlearner->DeletionGradients());
  }
  EXPECT_NEAR(forecast.any_age.events / (relearned / kTries), 1, 0.1);
}

}  // namespace
}  // namespace lethe::rewind_forecast_test
