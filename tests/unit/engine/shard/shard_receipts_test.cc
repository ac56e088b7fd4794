#include <set>

#include "engine/base/json.h"
#include "tests/support/passive_spec.h"
#include "tests/support/shard_fixture.h"

namespace lethe::testing::shard_receipts_test {
namespace {

class ShardReceipts : public ShardFixture {
 protected:
  std::vector<std::string> Keys(std::size_t k) {
    simdjson::dom::parser parser;
    simdjson::dom::object object;
    EXPECT_EQ(parser.parse(sink.published.at(k).bytes).get(object), simdjson::SUCCESS);
    std::vector<std::string> keys;
    for (const auto field : object) keys.emplace_back(field.key);
    return keys;
  }
};

TEST_F(ShardReceipts, CarryEveryFieldOfTheContract) {
  Learn("a", "ann");
  Delete({}, "ann");
  EXPECT_EQ(Keys(0),
            (std::vector<std::string>{
                "format",      "receipt", "state",     "shard",    "request",   "subject",
                "outcome",     "events",  "learned",   "received", "effective", "certified",
                "why_not",     "mode",    "guarantee", "shift",    "sigma",     "shrink",
                "mu",          "rho",     "epsilon",   "delta",    "advantage", "assumptions",
                "not_covered", "noise",   "config",    "previous", "statement"}));
  EXPECT_EQ(Receipt(0, "format"), "lethe.receipt/1");
  EXPECT_EQ(Receipt(0, "effective/by"), "stream");
  EXPECT_EQ(Receipt(0, "received/timestamp"), "null");
}

TEST_F(ShardReceipts, AreChainedByTheHashOfTheExactBytes) {
  Learn("a");
  Delete("a");
  Delete("a");
  Delete("b");
  std::string previous = kChainStart;
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(Receipt(k, "previous"), previous);
    const Digest digest = hasher.Sha256(sink.published[k].bytes);
    previous = ToHex(digest.data(), digest.size());
  }
}

TEST_F(ShardReceipts, StateThePromiseWhenCertified) {
  spec.noise.source = NoiseKind::kSystem;
  Learn("a");
  Delete("a");
  EXPECT_EQ(Receipt(0, "certified"), "true");
  EXPECT_EQ(Receipt(0, "epsilon"), "1");
  EXPECT_NEAR(std::stod(Receipt(0, "mu")), 0.2367044, 1e-7);
  EXPECT_NEAR(std::stod(Receipt(0, "advantage")), 0.0942, 1e-4);
  EXPECT_NE(Receipt(0, "statement").find("at most 54.72% of the time"), std::string::npos);
}

TEST_F(ShardReceipts, PromiseNothingWhenNotCertifiedAndSayWhy) {
  Learn("a");
  Delete("a");
  EXPECT_EQ(Receipt(0, "certified"), "false");
  for (const char* key : {"mu", "rho", "epsilon", "delta", "advantage"}) {
    EXPECT_EQ(Receipt(0, key), "null") << key;
  }
  EXPECT_NE(Receipt(0, "why_not/0").find("seed"), std::string::npos);
  EXPECT_NE(Receipt(0, "statement").find("No certificate"), std::string::npos);
}

TEST_F(ShardReceipts, NeverCertifyWhatTheErrataRuleOut) {
  const std::vector<std::pair<const char*, std::function<void(Spec&)>>> cases = {
      {"adaptive", [](Spec& s) { s.learning.schedule = ScheduleKind::kAdaptive; }},
      {"paper", [](Spec& s) { s.forgetting.calibration = Calibration::kPaper; }},
      {"none", [](Spec& s) { s.forgetting.mode = "none"; }},
      {"seed", [](Spec& s) { s.noise.source = NoiseKind::kSeeded; }},
      {"disabled", [](Spec& s) { s.noise.source = NoiseKind::kDisabled; }},
  };
  for (const auto& [word, change] : cases) {
    Spec changed = PassiveSpec();
    changed.model.dimension = 2;
    change(changed);
    const auto plan = Plan::Make(changed);
    ASSERT_TRUE(plan.ok());
    const auto why_not = plan.value().WhyNotCertified();
    ASSERT_EQ(why_not.size(), 1u) << word;
    EXPECT_NE(why_not[0].find(word), std::string::npos) << why_not[0];
  }
}

TEST_F(ShardReceipts, ListAtMostAHundredEventsThenADigest) {
  for (int i = 0; i < 150; ++i) Learn("e" + std::to_string(i), "ann");
  Delete({}, "ann");
  EXPECT_EQ(Receipt(0, "events"), "150");
  EXPECT_EQ(Receipt(0, "learned/99/index"), "99");
  EXPECT_EQ(Receipt(0, "learned/100/index"), "<missing>");
  EXPECT_EQ(Receipt(0, "learned_sha256").size(), 64u);
}

TEST_F(ShardReceipts, ContainNeitherIdNorSubject) {
  Learn("secret-id", "secret-person");
  Delete({}, "secret-person");
  Delete("secret-id");
  for (const Published& entry : sink.published) {
    EXPECT_EQ(entry.bytes.find("secret"), std::string::npos);
  }
}

TEST_F(ShardReceipts, PerRequestSaysThatItIsForOnePersonAlone) {
  spec.noise.source = NoiseKind::kSystem;
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  Learn("a", "ann");
  Delete({}, "ann");
  EXPECT_NE(Receipt(0, "statement").find("for each person alone"), std::string::npos);
}

TEST_F(ShardReceipts, NothingIsPublishedBeforeItIsDurable) {
  state.fails_at_commit = 1;
  Learn("a");
  Learn("b");
  Delete("a");
  EXPECT_EQ(state.committed_entries, 1u);
  const Status status = Feed(Make(EventKind::kDelete, "b", {}));
  EXPECT_EQ(status.code(), ErrorCode::kDisk);
  EXPECT_EQ(sink.published.size(), 1u);
}

TEST_F(ShardReceipts, ASinkThatFailsStopsTheRun) {
  sink.fails_at = 0;
  Learn("a");
  EXPECT_EQ(Feed(Make(EventKind::kDelete, "a", {})).code(), ErrorCode::kUnavailable);
}

TEST_F(ShardReceipts, HorizonSplitStopsLoudlyWhenItsSharesAreSpent) {
  spec.forgetting.split = Split::kHorizon;
  spec.learning.horizon.deletions = 1;
  Learn("a");
  Learn("b");
  Delete("a");
  const Status status = Feed(Make(EventKind::kDelete, "b", {}));
  EXPECT_EQ(status.code(), ErrorCode::kInput);
  EXPECT_NE(status.message().find("offset 3"), std::string::npos) << status.message();
  EXPECT_EQ(sink.published.size(), 1u);
}

TEST_F(ShardReceipts, DisabledNoiseShowsTheSigmaThatWouldHaveBeenDrawn) {
  spec.noise.source = NoiseKind::kDisabled;
  Learn("a");
  Learn("b");
  const Vector model = shard->unlearner().model();
  Delete("a");
  EXPECT_EQ(shard->unlearner().model(), model);
  EXPECT_GT(std::stod(Receipt(0, "sigma")), 0.1);
}

TEST_F(ShardReceipts, ModeNoneLeavesTheModelAlone) {
  spec.forgetting.mode = "none";
  Learn("a");
  const Vector model = shard->unlearner().model();
  Delete("a");
  EXPECT_EQ(shard->unlearner().model(), model);
  EXPECT_EQ(Receipt(0, "sigma"), "0");
}

}  // namespace
}  // namespace lethe::testing::shard_receipts_test
