// Several shards: what is promised of all that is served, and what each shard keeps of it.

#include <cmath>

#include "state/durable_state.h"
#include "state/store/memory_store.h"
#include "tests/support/passive_spec.h"
#include "tests/support/shard_fixture.h"

namespace lethe::testing::fleet_promise_test {
namespace {

constexpr double kStated = 0.2367044;

Spec Certified() {
  Spec spec = PassiveSpec();
  spec.model.dimension = 2;
  return spec;
}

TEST(FleetPromise, AJointBudgetIsThatOfAllShardsTogether) {
  for (const std::int64_t shards : {1, 4, 16, 1000}) {
    const Plan plan = Plan::Make(Certified(), shards).value();
    EXPECT_NEAR(plan.served.mu, kStated, 1e-7) << shards;
    EXPECT_EQ(plan.served.epsilon, 1) << shards;
    EXPECT_NEAR(plan.promise.mu, kStated / std::sqrt(shards), 1e-7) << shards;
    EXPECT_LE(plan.promise.mu * std::sqrt(shards), plan.served.mu) << shards;
    EXPECT_EQ(plan.budget.mu, plan.promise.mu) << shards;
  }
}

TEST(FleetPromise, ABudgetOfEachShardIsWeakerForAllThatIsServed) {
  Spec spec = Certified();
  spec.forgetting.guarantee_scope = GuaranteeScope::kShard;
  const Plan plan = Plan::Make(spec, 16).value();
  EXPECT_NEAR(plan.promise.mu, kStated, 1e-7);
  EXPECT_NEAR(plan.served.mu, 4 * kStated, 1e-6);
  EXPECT_GT(plan.served.epsilon, 4);
  EXPECT_NEAR(plan.served.advantage, AdvantageOfMu(4 * kStated), 1e-6);
}

TEST(FleetPromise, APersonIsPromisedTheBudgetByTheShardThatHoldsTheirEvents) {
  Spec spec = Certified();
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  for (const GuaranteeScope scope : {GuaranteeScope::kFleet, GuaranteeScope::kShard}) {
    spec.forgetting.guarantee_scope = scope;
    const Plan plan = Plan::Make(spec, 16).value();
    EXPECT_NEAR(plan.promise.mu, kStated, 1e-7);
    EXPECT_NEAR(plan.served.mu, kStated, 1e-7);
    EXPECT_NEAR(plan.ServedTo(4).mu, 2 * kStated, 1e-6);
  }
}

TEST(FleetPromise, ExactModesPromiseNothingLessOverAnyNumberOfShards) {
  Spec spec = Certified();
  spec.forgetting.mode = "retrain";
  const Plan plan = Plan::Make(spec, 16).value();
  EXPECT_EQ(plan.served.mu, 0);
  EXPECT_EQ(plan.served.epsilon, 0);
  EXPECT_EQ(plan.ServedTo(16).mu, 0);
}

TEST(FleetPromise, EveryModeChecksTheShareOfItsShard) {
  Spec spec = Certified();
  spec.model.dimension = 1'000'000;
  spec.forgetting.budget = {.epsilon = {}, .delta = {}, .mu = 6e-4, .rho = {}};
  EXPECT_TRUE(Plan::Make(spec, 1).ok());
  const auto divided = Plan::Make(spec, 16);
  ASSERT_FALSE(divided.ok());
  EXPECT_NE(divided.status().message().find("forgetting.budget"), std::string::npos);
}

TEST(FleetPromise, TheScopeIsPartOfTheCertificateUnlessItIsTheDefault) {
  Spec spec = Certified();
  EXPECT_EQ(CertificatePart(spec).find("guarantee_scope"), std::string::npos);
  spec.forgetting.guarantee_scope = GuaranteeScope::kShard;
  EXPECT_NE(CertificatePart(spec).find(R"("guarantee_scope":"shard")"), std::string::npos);
}

class FleetReceipts : public ShardFixture {
 protected:
  FleetReceipts() { spec.noise.source = NoiseKind::kSystem; }

  // One of so many shards; the others are not here.
  void StartOneOf(std::int64_t shards) {
    random = std::make_unique<SeededRandom>(1);
    shard =
        std::make_unique<Shard>(Plan::Make(spec, shards).value(), ShardIdentity::New({0}, *random),
                                ShardPorts{state, payloads, sink, probe, hasher, *random});
    runner = std::make_unique<RecordFeeder>(*shard, hooks);
  }
  void DeleteHeldBy(const std::string& subject, std::int64_t holders) {
    const LookupResult elsewhere{
        .searched = {{0}}, .passed_on = {}, .pending = {}, .holders = holders};
    ASSERT_TRUE(runner->Process(Make(EventKind::kDelete, {}, subject), &elsewhere).ok());
    ASSERT_TRUE(runner->Commit().ok());
  }
  double Number(std::size_t k, const std::string& path) { return std::stod(Receipt(k, path)); }
};

TEST_F(FleetReceipts, SpeakOfWhatIsServedAndOfTheShardBeside) {
  StartOneOf(16);
  Learn("a", "ann");
  Delete({}, "ann");
  EXPECT_NEAR(Number(0, "mu"), kStated, 1e-7);
  EXPECT_EQ(Receipt(0, "epsilon"), "1");
  EXPECT_NEAR(Number(0, "shard_mu"), kStated / 4, 1e-7);
  EXPECT_EQ(Receipt(0, "shards"), "16");
  EXPECT_NE(Receipt(0, "statement").find("the 16 shards of this model"), std::string::npos);
  EXPECT_NE(Receipt(0, "statement").find("54.72%"), std::string::npos);
}

TEST_F(FleetReceipts, OfABudgetOfEachShardSayTheWeakerPromise) {
  spec.forgetting.guarantee_scope = GuaranteeScope::kShard;
  StartOneOf(16);
  Learn("a", "ann");
  Delete({}, "ann");
  EXPECT_NEAR(Number(0, "mu"), 4 * kStated, 1e-6);
  EXPECT_NEAR(Number(0, "shard_mu"), kStated, 1e-7);
  EXPECT_EQ(Receipt(0, "statement").find("54.72%"), std::string::npos);
}

TEST_F(FleetReceipts, ToAPersonCountTheShardsThatHeldTheirEvents) {
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  StartOneOf(16);
  Learn("a", "ann");
  Learn("b", "bob");
  Learn("c", "carol");
  DeleteHeldBy("ann", 1);
  DeleteHeldBy("bob", 4);
  Delete({}, "carol");  // nobody was asked: it may have been all of them
  EXPECT_NEAR(Number(0, "mu"), kStated, 1e-7);
  EXPECT_NEAR(Number(1, "mu"), 2 * kStated, 1e-6);
  EXPECT_NEAR(Number(2, "mu"), 4 * kStated, 1e-6);
  EXPECT_EQ(Receipt(0, "shards"), "1");
  EXPECT_EQ(Receipt(1, "shards"), "4");
  EXPECT_NE(Receipt(1, "statement").find("in 4 shards"), std::string::npos);
  EXPECT_EQ(Receipt(1, "shard_mu"), Receipt(0, "shard_mu"));
}

TEST_F(FleetReceipts, OfEventsThatAreNamedByIdSpeakOfTheseEvents) {
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  StartOneOf(16);
  Learn("a", "ann");
  Delete("a");
  EXPECT_NEAR(Number(0, "mu"), kStated, 1e-7);
  EXPECT_EQ(Receipt(0, "statement").find("this person's events"), std::string::npos);
  EXPECT_NE(Receipt(0, "statement").find("whether these events"), std::string::npos);
}

// Events without a subject: what is promised is about these events.
class KeylessReceipts : public FleetReceipts, public ::testing::WithParamInterface<const char*> {};

TEST_P(KeylessReceipts, SpeakOfTheseEventsAndOfManySuchRequests) {
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  spec.forgetting.mode = GetParam();
  Learn("a");
  Learn("b");
  Delete("a");
  Update("b");
  for (std::size_t k = 0; k < 2; ++k) {
    const std::string statement = Receipt(k, "statement");
    EXPECT_EQ(Receipt(k, "certified"), "true") << Receipt(k, "why_not");
    EXPECT_EQ(statement.find("person's events"), std::string::npos) << statement;
    EXPECT_NE(statement.find("whether these events were ever learned"), std::string::npos);
    EXPECT_NE(statement.find("k such requests together are k mu"), std::string::npos) << statement;
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, KeylessReceipts, ::testing::Values("passive", "noisy"),
                         [](const auto& mode) { return std::string(mode.param); });

// One of several shards that is stopped while a request waits.
class FleetState : public FleetReceipts {
 protected:
  FleetState() {
    spec.forgetting.guarantee = Guarantee::kPerRequest;
    spec.forgetting.deadline.events = 3;
  }
  Status Resume(std::int64_t shards) {
    durable_ = DurableState::Open(store_, nullptr).value();
    random = std::make_unique<SeededRandom>(1);
    shard = std::make_unique<Shard>(
        Plan::Make(spec, shards).value(), ShardIdentity::New({0}, *random),
        ShardPorts{*durable_, durable_->payloads(), sink, probe, hasher, *random});
    runner = std::make_unique<RecordFeeder>(*shard, hooks);
    return shard->Resume();
  }

  MemoryStore store_;
  std::unique_ptr<DurableState> durable_;
};

TEST_F(FleetState, RemembersHowManyShardsHeldThePerson) {
  ASSERT_TRUE(Resume(16).ok());
  Learn("a", "ann");
  DeleteHeldBy("ann", 4);
  ASSERT_TRUE(runner->Commit().ok());
  shard.reset();
  ASSERT_TRUE(Resume(16).ok());
  for (const char* id : {"x", "y", "z"}) Learn(id);
  ASSERT_TRUE(runner->Commit().ok());
  const std::size_t last = sink.published.size() - 1;
  EXPECT_EQ(Receipt(last, "outcome"), "forgotten");
  EXPECT_NEAR(Number(last, "mu"), 2 * kStated, 1e-6);
  EXPECT_EQ(Receipt(last, "shards"), "4");
}

TEST_F(FleetState, OfAnotherNumberOfShardsIsRefused) {
  ASSERT_TRUE(Resume(16).ok());
  Learn("a", "ann");
  ASSERT_TRUE(runner->Commit().ok());
  shard.reset();
  EXPECT_EQ(Shard::ShardsOf(*durable_), 16);
  const Status fewer = Resume(4);
  EXPECT_EQ(fewer.code(), ErrorCode::kInput);
  EXPECT_NE(fewer.message().find("one of 16 shards"), std::string::npos) << fewer.message();
}

}  // namespace
}  // namespace lethe::testing::fleet_promise_test
