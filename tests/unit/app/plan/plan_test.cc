#include <cmath>

#include <gtest/gtest.h>
#include <simdjson.h>

#include "app/config/loader.h"
#include "app/plan/forecast.h"
#include "app/plan/forecast_report.h"
#include "app/plan/recommendation.h"
#include "engine/modes/registry.h"
#include "tests/support/passive_spec.h"
#include "tests/support/shard_fixture.h"

namespace lethe::plan_test {
namespace {

Spec SmallSpec() {
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  spec.learning.eta = 3.7;
  spec.forgetting.shrink.off = true;  // a forecast is of the noise without it
  return spec;
}

Forecast Make(const Spec& spec, std::int64_t events = kDefaultEvents) {
  auto forecast = MakeForecast(spec, events);
  EXPECT_TRUE(forecast.ok()) << forecast.status().message();
  return std::move(forecast).value();
}

bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(PlanErrors, AConfigurationThatMakesNoSenseInAnyModeIsRefused) {
  Spec spec = SmallSpec();
  spec.learning.eta = 100;
  const auto forecast = MakeForecast(spec);
  ASSERT_FALSE(forecast.ok());
  EXPECT_EQ(forecast.status().code(), ErrorCode::kConfig);
  EXPECT_TRUE(Contains(forecast.status().message(), "learning.eta"));
}

TEST(PlanErrors, AModeThatIsRefusedIsNamedAndTheRestIsStillForecast) {
  Spec spec = SmallSpec();
  spec.model.radius = 2;
  spec.forgetting.mode = "active";
  const Forecast forecast = Make(spec);
  EXPECT_EQ(forecast.mode, "active");
  EXPECT_TRUE(Contains(forecast.refused, "model.radius")) << forecast.refused;
  EXPECT_EQ(forecast.active.refused, forecast.refused);
  EXPECT_EQ(forecast.ages.size(), 7u);
  EXPECT_TRUE(Contains(Recommend(forecast).lines, "mode: rewind"));
  EXPECT_TRUE(Contains(Recommend(forecast).otherwise_lines, "mode: passive"));
}

TEST(PlanErrors, ARetentionThatIsRefusedIsReplacedByAuto) {
  Spec spec = SmallSpec();
  spec.forgetting.mode = "rewind";
  spec.forgetting.retention.events = 2;
  const Forecast forecast = Make(spec);
  EXPECT_TRUE(Contains(forecast.refused, "forgetting.retention")) << forecast.refused;
  EXPECT_EQ(forecast.rewind.refused, "");
  EXPECT_EQ(Recommend(forecast).lines, "forgetting:\n  retention: auto\n");
}

TEST(PlanErrors, StepSizesThatDependOnTheDataAreForecastAsPublicOnes) {
  Spec spec = SmallSpec();
  spec.learning.schedule = ScheduleKind::kAdaptive;
  spec.learning.eta.reset();
  const Forecast forecast = Make(spec);
  EXPECT_FALSE(forecast.ages.empty());
  EXPECT_EQ(forecast.noise_plan.spec.learning.schedule, ScheduleKind::kConstant);
  EXPECT_TRUE(Contains(Recommend(forecast).otherwise_lines, "learning:\n  schedule: constant\n"));
  EXPECT_FALSE(Contains(Recommend(forecast).lines, "learning:"));  // mode rewind certifies them
  EXPECT_TRUE(Contains(ForecastJson(forecast), R"("certified":false)"));
}

// The default: steps per feature in mode rewind.
TEST(PlanErrors, NothingHasToChangeWhereSettingsAreAuto) {
  Spec spec;
  spec.model.dimension = 2;
  spec.model.lambda_is_auto = spec.learning.update_is_auto = true;
  const Forecast forecast = Make(spec);
  EXPECT_EQ(forecast.plan.spec.learning.update, UpdateKind::kAdagrad);
  EXPECT_EQ(forecast.noise_plan.spec.learning.update, UpdateKind::kSgd);
  EXPECT_EQ(forecast.noise_plan.spec.model.lambda, 0.01);
  EXPECT_EQ(Recommend(forecast).lines, "");
  EXPECT_EQ(Recommend(forecast).otherwise_lines, "forgetting:\n  mode: passive\n  deadline: 500\n");
}

// Runs real shards against the forecast.
class PlanAgainstShard : public testing::ShardFixture {
 protected:
  static constexpr std::int64_t kEvents = 1200;

  // The forecast is of the noise that a deletion calls for, before a shrink.
  PlanAgainstShard() {
    spec.model.dimension = 2;
    spec.forgetting.shrink.off = true;
  }

  // The sigma of the first deletion of a run: of the event of this age after kEvents learned ones.
  double FirstSigma(std::int64_t age, std::int64_t wait) {
    state = testing::FaultyState();
    payloads = MemoryPayloads();
    sink = testing::RecordingSink();
    probe = testing::CountingProbe();
    shard.reset();
    offset = 0;
    for (std::int64_t i = 0; i < kEvents; ++i) LearnNumber(i);
    Delete("e" + std::to_string(kEvents - 1 - age));
    for (std::int64_t i = 0; i < wait; ++i) {
      EXPECT_TRUE(probe.sigmas.empty());
      LearnNumber(kEvents + i);
    }
    EXPECT_EQ(probe.sigmas.size(), 1u);
    return probe.sigmas.empty() ? 0 : probe.sigmas[0];
  }

  void LearnNumber(std::int64_t i) {
    Record record = Make(EventKind::kLearn, "e" + std::to_string(i), std::nullopt);
    if (spec.model.hash_bits) {
      record.event.x.clear();
      record.event.named = {{"a" + std::to_string(i % 7), 0.6}, {"b", -0.3}};
    }
    ASSERT_TRUE(Feed(record).ok());
  }

  void ExpectAgreement(const std::string& what) {
    const Forecast forecast = plan_test::Make(spec, kEvents);
    ASSERT_EQ(forecast.ages.size(), 4u);
    for (const AgeForecast& row : forecast.ages) {
      const double drawn = FirstSigma(row.age, 0);
      EXPECT_NEAR(row.at_once.sigma / drawn, 1, 1e-9) << what << ", age " << row.age;
      EXPECT_NEAR(row.at_once.share, drawn * std::sqrt(forecast.dimension) / spec.model.radius,
                  1e-9 * row.at_once.share);
    }
    EXPECT_NEAR(forecast.half_life / shard->unlearner().HalfLife(), 1, 1e-12) << what;
  }
};

TEST_F(PlanAgainstShard, AgesAgreeWithWhatARunThenDraws) {
  ExpectAgreement("default");
  for (const ScheduleKind kind :
       {ScheduleKind::kInverseTime, ScheduleKind::kInverseSqrt, ScheduleKind::kHorizon}) {
    spec.learning.schedule = kind;
    ExpectAgreement(Name(kind));
  }
  spec.learning = {};
  spec.learning.eta = 0.05;
  ExpectAgreement("small steps");
  spec.model.bias = true;
  spec.model.loss = LossKind::kHuber;
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  ExpectAgreement("per_request, huber, bias");
  spec.forgetting.guarantee = Guarantee::kJoint;
  for (const Split split : {Split::kZeta, Split::kHorizon}) {
    spec.forgetting.split = split;
    ExpectAgreement(Name(split));
  }
  spec.forgetting.split = Split::kCurve;
  spec.forgetting.calibration = Calibration::kPaper;
  ExpectAgreement("paper");
}

TEST_F(PlanAgainstShard, AgesOfAHashedModelAgreeToo) {
  spec.model.dimension = 0;
  spec.model.hash_bits = 5;
  ExpectAgreement("hashed");
}

TEST_F(PlanAgainstShard, WaitsAgreeWithWhatADeadlineThenDraws) {
  for (const std::int64_t wait : {3, 10, 100}) {
    spec.forgetting.deadline.events = wait;
    const Forecast forecast = plan_test::Make(spec, kEvents);
    EXPECT_EQ(forecast.configured_wait, wait);
    const auto column = std::find(forecast.waits.begin(), forecast.waits.end(), wait);
    ASSERT_NE(column, forecast.waits.end());
    for (const AgeForecast& row : forecast.ages) {
      const double drawn = FirstSigma(row.age, wait);
      const auto& waited = row.waited[static_cast<std::size_t>(column - forecast.waits.begin())];
      EXPECT_NEAR(waited.sigma / drawn, 1, 1e-9) << "age " << row.age << ", wait " << wait;
    }
  }
}

TEST_F(PlanAgainstShard, ActiveAgreesWithWhatAResetThenDrawsAndStores) {
  spec.forgetting.shrink = {};
  spec.forgetting.mode = "active";
  const Forecast forecast = plan_test::Make(spec, kEvents);
  ASSERT_TRUE(forecast.active.refused.empty()) << forecast.active.refused;
  EXPECT_NEAR(forecast.active.noise.sigma / FirstSigma(10, 0), 1, 1e-9);
  const auto each = static_cast<double>(payloads.bytes()) / static_cast<double>(payloads.count());
  EXPECT_EQ(forecast.active.bytes, each * kEvents);
  EXPECT_EQ(forecast.retrain.bytes, each * kEvents);
  EXPECT_EQ(forecast.active.flops, 3 * (kEvents * 4 + 8.0 / 3));
  spec.forgetting.active.window = 100;
  EXPECT_EQ(plan_test::Make(spec, kEvents).active.events, 100);
}

TEST_F(PlanAgainstShard, TheLinesToPasteBringTheNoiseDownAsSaid) {
  std::string lines = Recommend(plan_test::Make(spec, kEvents)).otherwise_lines;
  ASSERT_TRUE(Contains(lines, "deadline: ")) << lines;
  // The lines go into the configuration that was planned, which names its mode.
  const std::string section = "forgetting:\n";
  ASSERT_TRUE(Contains(lines, section)) << lines;
  lines.insert(lines.find(section) + section.size(), "  mode: passive\n");
  ASSERT_TRUE(Contains(lines, "source: system")) << "the fixture's noise is seeded";
  const auto report = CheckConfigText("model: {dimension: 2}\n" + lines, "pasted.yaml");
  ASSERT_TRUE(report.config.has_value()) << lines;
  const NoiseKind seeded = spec.noise.source;
  spec = report.config->spec;
  EXPECT_EQ(spec.noise.source, NoiseKind::kSystem);
  spec.noise.source = seeded;
  const double sigma = FirstSigma(1, spec.forgetting.deadline.events);
  EXPECT_LE(sigma * std::sqrt(2.0) / spec.model.radius, kSmallShare);
  EXPECT_EQ(Recommend(plan_test::Make(report.config->spec, kEvents)).otherwise_lines, "")
      << "nothing more to do";
}

TEST(Plan, InfluenceFadesWithAgeDownToRounding) {
  const Forecast forecast = Make(SmallSpec());
  ASSERT_EQ(forecast.ages.size(), 7u);
  EXPECT_EQ(forecast.ages.back().age, 1'000'000);
  for (std::size_t i = 1; i < forecast.ages.size(); ++i) {
    EXPECT_LE(forecast.ages[i].influence, forecast.ages[i - 1].influence);
    EXPECT_LE(forecast.ages[i].at_once.sigma, forecast.ages[i - 1].at_once.sigma);
    EXPECT_GE(forecast.ages[i].rounding, forecast.ages[i - 1].rounding);
  }
  EXPECT_LT(forecast.ages.front().rounding, 1e-5);
  EXPECT_EQ(forecast.ages.back().rounding, 1);
  EXPECT_GE(forecast.ages.back().at_once.sigma, forecast.round_off / forecast.plan.budget.mu);
}

TEST(Plan, AgesThatTheRunHasNotReachedAreLeftOut) {
  EXPECT_EQ(Make(SmallSpec(), 2).ages.size(), 1u);
  EXPECT_EQ(Make(SmallSpec(), 100).ages.size(), 2u);
  EXPECT_EQ(Make(SmallSpec(), 101).ages.size(), 3u);
}

TEST(Plan, EnoughWaitIsTheFirstRoundNumberThatIsEnough) {
  Spec spec = SmallSpec();
  const Forecast forecast = Make(spec, 10000);
  ASSERT_TRUE(forecast.enough_wait.has_value());
  EXPECT_LE(forecast.after_enough.share, kSmallShare);
  // The round number before it, as a configured wait, is too short.
  const std::int64_t wait = *forecast.enough_wait;
  ASSERT_EQ(wait, 200);
  spec.forgetting.deadline.events = 100;
  const Forecast shorter = Make(spec, 10000);
  EXPECT_GT(shorter.ages[0].waited[1].share, kSmallShare);
  EXPECT_TRUE(
      Contains(Recommend(shorter).otherwise, "the configured wait of 100 events brings it to"));
  EXPECT_TRUE(Contains(Recommend(shorter).otherwise_lines, "deadline: 200"));
}

TEST(Plan, NoDeadlineIsRecommendedWhereNoiseIsSmallAnyway) {
  Spec spec = SmallSpec();
  spec.learning.schedule = ScheduleKind::kInverseTime;
  const Forecast forecast = Make(spec);
  EXPECT_EQ(forecast.enough_wait, 0);
  EXPECT_FALSE(Contains(Recommend(forecast).otherwise_lines, "deadline"));
  EXPECT_TRUE(Contains(Recommend(forecast).otherwise, "served at once"));
}

TEST(Plan, WhereNoWaitHelpsThePlanSaysSo) {
  Spec spec = SmallSpec();
  spec.model.lambda = 1e-7;
  spec.model.radius = 5000;
  spec.learning.eta = 1;
  spec.forgetting.budget = {.epsilon = {}, .delta = {}, .mu = 1e-4, .rho = {}};
  spec.forgetting.active.tolerance = 1e-9;
  const Forecast forecast = Make(spec);
  EXPECT_FALSE(forecast.enough_wait.has_value());
  EXPECT_TRUE(Contains(Recommend(forecast).otherwise, "no wait of up to"));
  EXPECT_EQ(Recommend(forecast).lines, "forgetting:\n  mode: rewind\n");
}

TEST(Plan, WhatNeverCertifiesIsReplaced) {
  Spec spec = SmallSpec();
  spec.forgetting.mode = "none";
  spec.noise.source = NoiseKind::kDisabled;
  EXPECT_EQ(Recommend(Make(spec)).lines, "forgetting:\n  mode: rewind\nnoise:\n  source: system\n");
  EXPECT_EQ(Recommend(Make(spec)).otherwise_lines,
            "forgetting:\n  mode: passive\n  deadline: 200\nnoise:\n  source: system\n");
  spec = SmallSpec();
  spec.forgetting.calibration = Calibration::kPaper;
  EXPECT_TRUE(Contains(Recommend(Make(spec)).lines, "  calibration: ledger\n"));
  EXPECT_EQ(Make(spec).active.refused, "") << "the calibration belongs to mode passive";
}

TEST(Plan, RewindIsRecommendedUnlessAnExactModeKeepsPayloadsAlready) {
  for (const std::string& mode : ModeNames()) {
    Spec spec = SmallSpec();
    spec.forgetting.mode = mode;
    const Forecast forecast = Make(spec);
    const Recommendation recommendation = Recommend(forecast);
    const bool is_rewind = mode == "rewind" || mode == "retrain";
    EXPECT_EQ(recommendation.lines, is_rewind ? "" : "forgetting:\n  mode: rewind\n") << mode;
    EXPECT_TRUE(Contains(recommendation.text, "is exact")) << mode;
    EXPECT_TRUE(recommendation.otherwise.starts_with("If payloads may not be kept")) << mode;
  }
}

TEST(Plan, AWaitInEventTimeIsNoNumberOfEvents) {
  Spec spec = SmallSpec();
  spec.forgetting.deadline.event_time_ms = 1000;
  const Forecast forecast = Make(spec);
  EXPECT_FALSE(forecast.configured_wait.has_value());
  EXPECT_FALSE(Contains(Recommend(forecast).otherwise_lines, "deadline"));
  EXPECT_TRUE(Contains(Recommend(forecast).otherwise, "200 events are learned in it"));
}

TEST(Plan, TheShorterOfWindowAndDeadlineCounts) {
  Spec spec = SmallSpec();
  spec.forgetting.deadline.events = 500;
  spec.forgetting.batch_window.events = 70;
  EXPECT_EQ(Make(spec).configured_wait, 70);
  spec.forgetting.batch_window = {};
  spec.forgetting.deadline.events = 2 * kLongestWait;
  const Forecast forecast = Make(spec);
  EXPECT_EQ(forecast.waits.size(), 3u) << "too long to be shown";
  EXPECT_FALSE(Contains(Recommend(forecast).otherwise_lines, "deadline"));
}

TEST(Plan, LargeHashedModelsAreWarnedOf) {
  Spec spec = PassiveSpec();
  spec.model.hash_bits = 18;
  const Forecast forecast = Make(spec, 1000);
  EXPECT_GT(forecast.ages[0].at_once.share, 100);
  EXPECT_TRUE(Contains(forecast.active.refused, "hash_bits"));
  EXPECT_TRUE(std::isnan(forecast.retrain.flops));
  simdjson::dom::parser parser;
  simdjson::dom::array warnings;
  const auto json = ForecastJson(forecast);
  ASSERT_EQ(parser.parse(json)["warnings"].get(warnings), simdjson::SUCCESS);
  EXPECT_EQ(warnings.size(), 1u);
}

TEST(Plan, JsonCarriesTheFiguresInFull) {
  const Forecast forecast = Make(SmallSpec(), 5000);
  const std::string json = ForecastJson(forecast);
  simdjson::dom::parser parser;
  simdjson::dom::element root;
  ASSERT_EQ(parser.parse(json).get(root), simdjson::SUCCESS) << json;
  const auto number = [&](const char* path) {
    double value = std::nan("");
    EXPECT_EQ(root.at_pointer(path).get(value), simdjson::SUCCESS) << path;
    return value;
  };
  EXPECT_EQ(number("/constants/L"), forecast.plan.constants.L);
  EXPECT_EQ(number("/contraction"), forecast.contraction);
  EXPECT_EQ(number("/half_life_events"), forecast.half_life);
  EXPECT_EQ(number("/ages/2/age"), 100);
  EXPECT_EQ(number("/ages/2/sigma"), forecast.ages[2].at_once.sigma);
  EXPECT_EQ(number("/ages/2/after_waiting/1/sigma"), forecast.ages[2].waited[1].sigma);
  EXPECT_EQ(number("/active/payload_bytes"), forecast.active.bytes);
  EXPECT_EQ(number("/enough_wait_events"), 200);
  EXPECT_EQ(number("/rewind/window"), 100'000);
  EXPECT_EQ(number("/rewind/retention"), 200'000);
  EXPECT_EQ(number("/rewind/bytes"), forecast.rewind.bytes);
  EXPECT_EQ(number("/rewind/any_age/milliseconds"), forecast.rewind.any_age.ms);
  EXPECT_EQ(number("/rewind_all/recent/per_second"), forecast.rewind_all.recent.per_second);
}

TEST(Plan, PercentagesAreForPeople) {
  EXPECT_EQ(PercentText(0), "0%");
  EXPECT_EQ(PercentText(1e-9), "<0.001%");
  EXPECT_EQ(PercentText(0.0031), "0.31%");
  EXPECT_EQ(PercentText(6.29), "629%");
  EXPECT_EQ(UnitText(168000168, "B"), "168 MB");
  EXPECT_EQ(UnitText(999.9, "B"), "1 kB");
  EXPECT_EQ(UnitText(12, "flop"), "12 flop");
}

}  // namespace
}  // namespace lethe::plan_test
