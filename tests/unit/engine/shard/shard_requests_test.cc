#include <limits>

#include "tests/support/shard_fixture.h"

namespace lethe::testing::shard_requests_test {
namespace {

using Words = std::vector<std::string>;

class ShardRequests : public ShardFixture {};

TEST_F(ShardRequests, DeleteByIdForgetsOneEvent) {
  Learn("a");
  Learn("b");
  Delete("a");
  EXPECT_EQ(Outcomes(), Words{"forgotten"});
  EXPECT_EQ(Receipt(0, "events"), "1");
  EXPECT_EQ(Receipt(0, "learned/0/index"), "0");
  EXPECT_EQ(Receipt(0, "effective/index"), "2");
  EXPECT_EQ(Receipt(0, "effective/model_version"), "3");
  EXPECT_EQ(state.events(), 1u);
}

TEST_F(ShardRequests, DeleteBySubjectForgetsEverythingOfOnePersonAtOnce) {
  Learn("a", "ann");
  Learn("b", "bob");
  Learn("c", "ann");
  Delete({}, "ann");
  EXPECT_EQ(Receipt(0, "events"), "2");
  EXPECT_EQ(probe.sigmas.size(), 1u);
  EXPECT_EQ(state.events(), 1u);
  EXPECT_EQ(Receipt(0, "subject").size(), 32u);
}

TEST_F(ShardRequests, LaterEventsOfAForgottenSubjectAreANewStart) {
  Learn("a", "ann");
  Delete({}, "ann");
  Learn("b", "ann");
  Delete({}, "ann");
  EXPECT_EQ(Outcomes(), (Words{"forgotten", "forgotten"}));
  EXPECT_EQ(shard->counters().refused_late, 0);
}

TEST_F(ShardRequests, RepeatedIdIsLearnedOnce) {
  Learn("a");
  const Vector once = shard->unlearner().model();
  Learn("a");
  EXPECT_EQ(shard->counters().duplicates, 1);
  EXPECT_EQ(shard->unlearner().model(), once);
}

TEST_F(ShardRequests, DeleteBeforeItsLearnIsRememberedAndTheLateLearnRefused) {
  Delete("a");
  Learn("a");
  EXPECT_EQ(Outcomes(), Words{"nothing_learned"});
  EXPECT_EQ(Receipt(0, "searched/0"), "0");
  EXPECT_EQ(shard->counters().refused_late, 1);
  EXPECT_EQ(shard->counters().learned, 0);
}

TEST_F(ShardRequests, RemovedIdsAreRefusedWhenTheyComeAgain) {
  Learn("a", "ann");
  Learn("b");
  Delete({}, "ann");
  Delete("b");
  Learn("a", "ann");
  Learn("b");
  Update("a", "ann");
  EXPECT_EQ(shard->counters().refused_late, 3);
}

TEST_F(ShardRequests, RepeatedDeleteNamesTheFirstReceiptAndDrawsNothing) {
  Learn("a", "ann");
  Learn("b", "bob");
  Delete("a");
  Delete({}, "bob");
  const Vector model = shard->unlearner().model();
  Delete("a");
  Delete({}, "bob");
  EXPECT_EQ(Outcomes(),
            (Words{"forgotten", "forgotten", "already_forgotten", "already_forgotten"}));
  EXPECT_EQ(Receipt(2, "first_receipt"), Receipt(0, "receipt"));
  EXPECT_EQ(Receipt(3, "first_receipt"), Receipt(1, "receipt"));
  EXPECT_EQ(shard->unlearner().model(), model);
  EXPECT_EQ(probe.sigmas.size(), 2u);
}

// An update on another partition: this shard has the old version, or nothing.
TEST_F(ShardRequests, AReplacedVersionIsForgottenAndItsIdMayComeAgain) {
  const auto replace = [this](const std::string& id) {
    Record record = Make(EventKind::kDelete, id, {});
    record.event.is_replaced = true;
    ASSERT_TRUE(Feed(record).ok());
  };
  Learn("a", "ann");
  replace("a");
  replace("a");
  replace("nobody");
  EXPECT_EQ(Outcomes(), Words{"forgotten"});
  EXPECT_EQ(Receipt(0, "cause"), "update");
  EXPECT_EQ(shard->counters().requests, 0);
  Update("a", "ann");
  EXPECT_EQ(shard->counters().updates, 1);
  EXPECT_EQ(shard->counters().refused_late, 0);
}

TEST_F(ShardRequests, DeleteThatMatchesNothingCostsNoNoise) {
  Learn("a");
  const Vector model = shard->unlearner().model();
  Delete("nobody");
  Delete({}, "nobody");
  EXPECT_EQ(shard->unlearner().model(), model);
  EXPECT_EQ(shard->model_version().value, 1);
  EXPECT_EQ(Receipt(1, "sigma"), "0");
}

TEST_F(ShardRequests, AnIdAndASubjectOfTheSameNameAreDifferent) {
  Learn("ann", "bob");
  Delete({}, "ann");
  EXPECT_EQ(Outcomes(), Words{"nothing_learned"});
  Delete("ann");
  EXPECT_EQ(Outcomes(), (Words{"nothing_learned", "forgotten"}));
}

TEST_F(ShardRequests, EventWithoutIdIsNamedByItsPlace) {
  Learn({}, "ann");
  Delete("events/0/0");
  EXPECT_EQ(Outcomes(), Words{"forgotten"});
}

TEST_F(ShardRequests, UpdateForgetsTheOldVersionAndLearnsTheNew) {
  Learn("a", "ann");
  Learn("b");
  Update("a", "ann");
  EXPECT_EQ(Outcomes(), Words{"forgotten"});
  EXPECT_EQ(Receipt(0, "cause"), "update");
  EXPECT_EQ(shard->counters().updates, 1);
  EXPECT_EQ(state.events(), 2u);
  EXPECT_EQ(shard->model_version().value, 4);  // three steps and a deletion
  Learn("a");
  EXPECT_EQ(shard->counters().duplicates, 1);
  Delete("a");
  EXPECT_EQ(Receipt(1, "learned/0/index"), "2");
}

TEST_F(ShardRequests, UpdateOfAnUnknownIdLearnsIt) {
  Update("a");
  EXPECT_EQ(shard->counters().updates, 1);
  EXPECT_TRUE(sink.published.empty());
  EXPECT_EQ(state.events(), 1u);
}

TEST_F(ShardRequests, UpdateWithABadPayloadChangesNothing) {
  Learn("a");
  const Vector model = shard->unlearner().model();
  Record bad = Make(EventKind::kUpdate, "a", {});
  bad.event.x = {std::numeric_limits<double>::quiet_NaN(), 0};
  ASSERT_TRUE(Feed(bad).ok());
  EXPECT_EQ(shard->unlearner().model(), model);
  EXPECT_EQ(state.events(), 1u);
  EXPECT_EQ(probe.rejected, std::vector<Reason>{Reason::kNotFinite});
}

TEST_F(ShardRequests, RefusalsAreForgottenAfterTheirTime) {
  spec.refuse_late_for_ms = 1000;
  spec.forgetting.retention.all = true;
  Record request = Make(EventKind::kDelete, "a", {});
  request.timestamp = {5000};
  ASSERT_TRUE(Feed(request).ok());
  Record late = Make(EventKind::kLearn, "a", {});
  late.timestamp = {6000};
  ASSERT_TRUE(Feed(late).ok());
  EXPECT_EQ(shard->counters().refused_late, 1);
  late.timestamp = {6001};
  ASSERT_TRUE(Feed(late).ok());
  EXPECT_EQ(shard->counters().learned, 1);
  EXPECT_EQ(state.refusals(), 0u);
}

// In a mode that drops old events an id is a repeated one while events of its time are known.
TEST_F(ShardRequests, AnIdThatWasRefusedIsARepeatedOneForAWhile) {
  spec.refuse_late_for_ms = 1000;
  Record request = Make(EventKind::kDelete, "a", {});
  request.timestamp = {5000};
  ASSERT_TRUE(Feed(request).ok());
  for (const std::int64_t time : {6000, 6001}) {
    Record late = Make(EventKind::kLearn, "a", {});
    late.timestamp = {time};
    ASSERT_TRUE(Feed(late).ok());
  }
  EXPECT_EQ(shard->counters().refused_late, 1);
  EXPECT_EQ(shard->counters().duplicates, 1);
  EXPECT_EQ(shard->counters().learned, 0);
}

TEST_F(ShardRequests, EveryRecordIsCountedExactlyOnce) {
  Learn("a", "ann");
  Learn("a", "ann");
  Delete({}, "ann");
  Learn("a", "ann");
  Update("b");
  Delete("nobody");
  Record bad = Make(EventKind::kLearn, "c", {});
  bad.event.x = {1};
  ASSERT_TRUE(Feed(bad).ok());
  Record unreadable = Make(EventKind::kDelete, {}, {});
  unreadable.rejection = Rejection{Reason::kMissingTarget, "no id, no subject", true};
  ASSERT_TRUE(Feed(unreadable).ok());
  const Counters& c = shard->counters();
  std::int64_t rejected = 0;
  for (const std::int64_t count : c.rejected) rejected += count;
  EXPECT_EQ(c.learned + c.updates + c.requests + c.duplicates + c.refused_late + rejected,
            c.records);
  EXPECT_EQ(rejected, 2);
}

TEST_F(ShardRequests, UnreadableDeleteIsARejectedRequestWithAReceipt) {
  Record unreadable = Make(EventKind::kDelete, {}, {});
  unreadable.event.request = "not-to-be-trusted";
  unreadable.rejection = Rejection{Reason::kMissingTarget, "no id, no subject", true};
  ASSERT_TRUE(Feed(unreadable).ok());
  EXPECT_EQ(Outcomes(), Words{"rejected"});
  EXPECT_EQ(Receipt(0, "reason"), "missing_target");
  EXPECT_EQ(Receipt(0, "request"), "null");
}

}  // namespace
}  // namespace lethe::testing::shard_requests_test
