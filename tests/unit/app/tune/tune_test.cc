#include "app/tune/tune.h"

#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "app/config/loader.h"
#include "app/tune/candidates.h"
#include "app/tune/infer.h"
#include "app/tune/tune_report.h"
#include "engine/modes/registry.h"

namespace lethe::tune_test {
namespace {

// A stream of n events on the unit circle of d dimensions, of which every 50th is deleted later.
std::vector<Record> Stream(int n, int d, std::uint64_t seed = 1) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  Vector truth = Vector::NullaryExpr(d, [&] { return normal(bits); });
  std::vector<Record> records;
  for (int i = 0; i < n; ++i) {
    Vector x = Vector::NullaryExpr(d, [&] { return normal(bits); });
    x *= (1 - 1e-12) / x.norm();
    Record record;
    record.offset = {static_cast<std::int64_t>(records.size())};
    record.event.id = "e" + std::to_string(i);
    record.event.x.assign(x.begin(), x.end());
    record.event.y = truth.dot(x) + 0.3 * normal(bits) > 0 ? 1 : -1;
    records.push_back(record);
    if (i % 50 != 49) continue;
    Record deletion;
    deletion.offset = {static_cast<std::int64_t>(records.size())};
    deletion.event.kind = EventKind::kDelete;
    deletion.event.id = "e" + std::to_string(i - 30);
    records.push_back(deletion);
  }
  return records;
}

Spec Base(int d) {
  Spec spec;
  spec.model.dimension = d;
  return spec;
}

TEST(Tune, FindsBetterSettingsThanTheDefaults) {
  const std::vector<Record> records = Stream(6000, 10);
  const Spec base = Base(10);
  const auto tuned = Tune(base, records, {.runs = 60, .threads = 2});
  ASSERT_TRUE(tuned.ok()) << tuned.status().message();
  const TuneResult& result = tuned.value();
  ASSERT_TRUE(result.chosen);
  const TuneRows rows = AdmitRows(base, records);
  const double defaults = *RunTrial(base, rows, rows.size(), 0).value().mean_loss;
  ASSERT_NE(result.Chosen(), nullptr);
  EXPECT_LT(*result.Chosen()->result->mean_loss, 0.8 * defaults);
  EXPECT_TRUE(result.Chosen()->is_exact);
  EXPECT_LT(*result.Chosen()->result->mean_loss, *result.constant.mean_loss);
  ASSERT_NE(result.WithoutForgetting(), nullptr);
  for (std::size_t i = 1; i < result.trials.size(); ++i) {
    EXPECT_LE(*result.trials[i - 1].quality.mean_loss, *result.trials[i].quality.mean_loss);
  }
  EXPECT_LE(result.runs, 60 + 40);  // and windows and modes
}

// The written configuration is one that `lethe check` accepts, and the same as the chosen one.
TEST(Tune, WritesAConfigurationThatIsAccepted) {
  Config base;
  base.spec = Base(5);
  base.spec.topic = "other";
  base.state.path = "/some/where else";
  const auto tuned = Tune(base.spec, Stream(3000, 5), {.runs = 20, .threads = 1});
  ASSERT_TRUE(tuned.ok());
  const std::string text = TunedConfig(base, tuned.value());
  const LoadReport report = CheckConfigText(text, "tuned.yaml", {.known_modes = ModeNames()});
  ASSERT_TRUE(report.config) << text;
  EXPECT_EQ(CertificatePart(report.config->spec), CertificatePart(*tuned.value().chosen)) << text;
  EXPECT_EQ(report.config->spec.topic, "other");
  EXPECT_EQ(report.config->state.path, base.state.path);
  EXPECT_TRUE(Plan::Make(report.config->spec).ok());
  EXPECT_NE(TuneJson(base, tuned.value(), 1).find("\"format\":\"lethe.tune/1\""),
            std::string::npos);
  EXPECT_NE(TuneTable(tuned.value()).find("(a constant)"), std::string::npos);
}

// Threads change nothing.
TEST(Tune, IsTheSameWithAnyNumberOfThreads) {
  const std::vector<Record> records = Stream(3000, 5);
  const auto one = Tune(Base(5), records, {.runs = 30, .threads = 1});
  const auto three = Tune(Base(5), records, {.runs = 30, .threads = 3});
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_EQ(CertificatePart(*one.value().chosen), CertificatePart(*three.value().chosen));
  EXPECT_EQ(one.value().trials.size(), three.value().trials.size());
}

// In a mode with noise only certified settings are chosen, and no wait is longer than a tenth of
// the stream.
TEST(Tune, PassiveGetsADeadlineThatFitsTheStream) {
  Spec base = Base(5);
  base.forgetting.mode = "passive";
  const auto tuned = Tune(base, Stream(3000, 5), {.runs = 30, .threads = 2});
  ASSERT_TRUE(tuned.ok()) << tuned.status().message();
  ASSERT_TRUE(tuned.value().chosen);
  EXPECT_EQ(tuned.value().chosen->forgetting.mode, "passive");
  EXPECT_EQ(tuned.value().chosen->learning.update, UpdateKind::kSgd);
  for (const Comparison& one : tuned.value().modes) {
    EXPECT_LE(one.contender.spec.forgetting.deadline.events, 300) << one.contender.name;
  }
}

// A trial with a window is a run of mode rewind without deletions, to the bit.
TEST(Tune, AWindowIsThatOfRewind) {
  std::vector<Record> records = Stream(3000, 5);
  std::erase_if(records, [](const Record& r) { return r.event.kind == EventKind::kDelete; });
  Spec spec = Base(5);
  spec.model.lambda = 1e-4;  // a memory that is longer than the window
  spec.learning.eta = 0.3;
  spec.forgetting.retention = {.all = false, .events = 1000, .time_ms = 0};
  const TuneRows rows = AdmitRows(spec, records);
  const Quality trial = RunTrial(spec, rows, rows.size(), 500).value();
  const auto replayed = Compare({{"rewind", spec}}, records, {.regret = false});
  ASSERT_TRUE(replayed.ok());
  ASSERT_TRUE(replayed.value()[0].result);
  EXPECT_EQ(trial.mean_loss, replayed.value()[0].result->mean_loss);
  EXPECT_EQ(trial.auc, replayed.value()[0].result->quality.auc);
  EXPECT_NE(trial.mean_loss, RunTrial(spec, rows, rows.size(), 0).value().mean_loss);
}

TEST(Tune, RefusesAStreamThatFitsNothing) {
  const auto tuned = Tune(Base(4), Stream(100, 5), {.runs = 5});
  ASSERT_FALSE(tuned.ok());
  EXPECT_EQ(tuned.status().code(), ErrorCode::kInput);
  EXPECT_NE(tuned.status().message().find("do stream and configuration fit"), std::string::npos);
}

TEST(Tune, CandidatesAreDistinctAndSpreadOut) {
  const std::vector<Spec> few = Candidates(Base(5), true, 12);
  EXPECT_EQ(few.size(), 12U);
  std::set<std::string> families;
  for (const Spec& spec : few) families.insert(Family(spec));
  EXPECT_GE(families.size(), 4U);
  for (const Spec& spec : Candidates(Base(5), false, 1000)) {
    EXPECT_EQ(spec.learning.update, UpdateKind::kSgd);
  }
  EXPECT_EQ(Candidates(Base(5), true, 1).size(), 1U);
  EXPECT_GE(Candidates(Base(5), true, 500).size(), 450U);
  for (const bool fine : {false, true}) {
    EXPECT_GE(Neighbours(few.front(), fine).size(), 4U);
  }
}

Record Learn(std::vector<double> x, double y) {
  Record record;
  record.event.x = std::move(x);
  record.event.y = y;
  return record;
}

TEST(Infer, TakesTheModelFromTheStream) {
  const auto logistic = InferConfig({Learn({0.1, 0.2}, 1), Learn({0.3, 0.2}, 0)});
  EXPECT_EQ(logistic.value().spec.model.loss, LossKind::kLogistic);
  EXPECT_EQ(logistic.value().spec.model.dimension, 2);
  EXPECT_EQ(logistic.value().spec.model.feature_norm, 1);

  const auto squared = InferConfig({Learn({30, 40}, 2.5), Learn({0, 0}, -0.5)});
  EXPECT_EQ(squared.value().spec.model.loss, LossKind::kSquared);
  EXPECT_EQ(squared.value().spec.model.feature_norm, 50);
  EXPECT_EQ(squared.value().spec.model.label_bound, 2.5);

  const auto classes = InferConfig({Learn({0.1}, 2), Learn({0.1}, 0)});
  EXPECT_EQ(classes.value().spec.model.loss, LossKind::kSoftmax);
  EXPECT_EQ(classes.value().spec.model.classes, 3);

  Record named;
  named.event.named = {{"a", 1.0}, {"b", 0.5}};
  named.event.label = "dog";
  Record other = named;
  other.event.label = "cat";
  const auto animals = InferConfig({named, other});
  EXPECT_EQ(animals.value().spec.model.class_names, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ(animals.value().spec.model.hash_bits, 18);
  EXPECT_EQ(animals.value().spec.model.feature_norm, 1.2);

  EXPECT_EQ(InferConfig({}).status().code(), ErrorCode::kInput);
}

}  // namespace
}  // namespace lethe::tune_test
