// Which figures without noise a running shard releases.

#include "app/run/live_probe.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/passive_spec.h"

namespace lethe::live_probe_test {
namespace {

ShardReport ReportOf(const Spec& spec) {
  const Plan plan = Plan::Make(spec).value();
  LiveProbe probe(plan);
  const Example example{Vector::Unit(2, 0), 1};
  probe.OnLearn({0}, {{0}, {0.5}, 0, example});
  ShardReport report;
  probe.AddTo(report);
  return report;
}

Spec Mode(const std::string& mode) {
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  spec.forgetting.mode = mode;
  return spec;
}

TEST(LiveProbe, TellsTheLossWhereNobodyIsTakenToReact) {
  for (const char* mode : {"passive", "active", "noisy", "noisy_gd"}) {
    const ShardReport report = ReportOf(Mode(mode));
    ASSERT_TRUE(report.loss_total.has_value()) << mode;
    EXPECT_GT(*report.loss_total, 0) << mode;
    EXPECT_EQ(report.loss_events, 1) << mode;
  }
}

TEST(LiveProbe, TellsTheLossOfTheClassesForSoftmax) {
  Spec spec = Mode("passive");
  spec.model.loss = LossKind::kSoftmax;
  spec.model.classes = 3;
  const auto plan = Plan::Make(spec);
  ASSERT_TRUE(plan.ok()) << plan.status().message();
  LiveProbe probe(plan.value());
  ShardReport report;
  probe.AddTo(report);
  EXPECT_EQ(report.loss_total, 0);
  const Example example{Vector::Unit(2, 0), 1};
  const std::vector<double> scores = {0, std::log(2.0), 0};
  for (int i = 0; i < 100; ++i) probe.OnLearn({0}, {{i}, {0, scores}, 0, example});
  probe.AddTo(report);
  // The probability is 2 / (1 + 2 + 1).
  EXPECT_NEAR(*report.loss_total, 100 * std::log(2.0), 1e-12);
  EXPECT_EQ(report.loss_events, 100);
  probe.OnEffective({0}, {}, {});
  probe.AddTo(report);
  EXPECT_EQ(report.loss_total, 0);
}

// How many members of an event are unknown depends on the event, and so does a warning of them.
TEST(LiveProbe, CountsUnknownMembersAnewAfterADeletionAndAnExpiry) {
  const Plan plan = Plan::Make(Mode("passive")).value();
  const Example example{Vector::Unit(2, 0), 1};
  for (const bool expires : {false, true}) {
    LiveProbe probe(plan);
    const auto found = [&probe] {
      ShardReport report;
      probe.AddTo(report);
      return report.unknown_members.value_or(-1);
    };
    EXPECT_FALSE(probe.TakeUnknownMembers());
    probe.OnLearn({0}, {{0}, {0.5}, 0, example, 2});
    probe.OnLearn({0}, {{1}, {0.5}, 0, example, 0});
    EXPECT_EQ(found(), 2);
    EXPECT_TRUE(probe.TakeUnknownMembers());
    probe.OnLearn({0}, {{2}, {0.5}, 0, example, 1});
    EXPECT_FALSE(probe.TakeUnknownMembers()) << "once";
    expires ? probe.OnExpired({0}) : probe.OnEffective({0}, {}, {});
    EXPECT_EQ(found(), 0);
    EXPECT_FALSE(probe.TakeUnknownMembers());
    // A world without the events so far would warn now.
    probe.OnLearn({0}, {{3}, {0.5}, 0, example, 1});
    EXPECT_TRUE(probe.TakeUnknownMembers());
  }
  Spec adaptive = Mode("online_dp");
  LiveProbe silent(Plan::Make(adaptive).value());
  silent.OnLearn({0}, {{0}, {0.5}, 0, example, 2});
  EXPECT_FALSE(silent.TakeUnknownMembers());
  ShardReport report;
  silent.AddTo(report);
  EXPECT_FALSE(report.unknown_members);
}

// Such a promise covers people who react to everything that is released. The noise is in the
// models, and a loss has none: an attacker who may choose events by it tells the worlds apart.
TEST(LiveProbe, TellsNoLossWhereThePromiseHoldsForPeopleWhoReact) {
  std::vector<Spec> specs = {Mode("online_dp"), Mode("noisy"), Mode("noisy_gd")};
  for (Spec& spec : specs) {
    spec.forgetting.noisy.requests = Requests::kAdaptive;
    ASSERT_TRUE(Plan::Make(spec).value().AllowsAdaptiveRequests());
    const ShardReport report = ReportOf(spec);
    EXPECT_FALSE(report.loss_total.has_value()) << spec.forgetting.mode;
    EXPECT_FALSE(report.loss_events.has_value()) << spec.forgetting.mode;
  }
}

// A mode that drops the assumption that nobody reacts is one of those above.
TEST(LiveProbe, NoReceiptDropsTheAssumptionWhileALossIsTold) {
  for (const std::string& mode : ModeNames()) {
    for (const Requests requests : {Requests::kOblivious, Requests::kAdaptive}) {
      Spec spec = Mode(mode);
      spec.forgetting.noisy.requests = requests;
      const auto plan = Plan::Make(spec);
      if (!plan.ok()) continue;
      EXPECT_NE(ReportOf(spec).loss_total.has_value(), plan.value().AllowsAdaptiveRequests())
          << mode;
    }
  }
}

}  // namespace
}  // namespace lethe::live_probe_test
