// Which figures without noise a running shard releases.

#include "app/run/live_probe.h"

#include <gtest/gtest.h>

#include "tests/support/passive_spec.h"

namespace lethe {
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
}  // namespace lethe
