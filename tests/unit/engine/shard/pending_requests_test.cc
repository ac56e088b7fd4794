#include "engine/base/json.h"
#include "tests/support/shard_fixture.h"

namespace lethe::testing::pending_requests_test {
namespace {

using Words = std::vector<std::string>;

class ShardWaiting : public ShardFixture {
 protected:
  // The kinds of what was published, in order: n(otice), r(eceipt).
  std::string Kinds() const {
    std::string kinds;
    for (const Published& entry : sink.published) {
      kinds += entry.kind == ChainKind::kNotice ? 'n' : 'r';
    }
    return kinds;
  }
  void LearnOthers(int count) {
    for (int i = 0; i < count; ++i) Learn("other-" + std::to_string(others_++));
  }

 private:
  int others_ = 0;
};

TEST_F(ShardWaiting, ADeletionTakesEffectAtItsDeadlineInEvents) {
  spec.forgetting.deadline.events = 10;
  Learn("a");
  Delete("a");
  EXPECT_EQ(Kinds(), "n");
  EXPECT_EQ(Receipt(0, "status"), "received");
  EXPECT_EQ(state.events(), 0u);  // the event is gone at once
  LearnOthers(9);
  EXPECT_EQ(Kinds(), "n");
  EXPECT_EQ(shard->waiting(), 1u);
  LearnOthers(1);
  ASSERT_EQ(Kinds(), "nr");
  EXPECT_EQ(Receipt(1, "receipt"), Receipt(0, "receipt"));
  EXPECT_EQ(Receipt(1, "received/offset"), "1");
  EXPECT_EQ(Receipt(1, "effective/offset"), "11");
  EXPECT_EQ(Receipt(1, "effective/index"), "11");
  EXPECT_NE(Receipt(1, "statement").find("still carried"), std::string::npos);
}

TEST_F(ShardWaiting, WaitingNeedsLessNoise) {
  spec.forgetting.shrink.off = true;
  spec.learning.eta = 3.7;
  Learn("a");
  Delete("a");
  const double at_once = probe.sigmas[0];
  StartAnew();
  spec.forgetting.deadline.events = 100;
  Learn("b");
  Delete("b");
  LearnOthers(100);
  ASSERT_EQ(probe.sigmas.size(), 2u);
  EXPECT_LT(probe.sigmas[1], at_once / 10);
}

TEST_F(ShardWaiting, ADeadlineInEventTimeIsMeasuredByTheRunningMaximum) {
  spec.forgetting.deadline.event_time_ms = 1000;
  const auto at = [this](EventKind kind, const char* id, std::int64_t ms) {
    Record record = Make(kind, id, {});
    record.timestamp = {ms};
    ASSERT_TRUE(Feed(record).ok());
  };
  at(EventKind::kLearn, "a", 5000);
  at(EventKind::kDelete, "a", 5000);
  at(EventKind::kLearn, "b", 5999);
  at(EventKind::kLearn, "c", 100);  // out of order: time does not go back
  EXPECT_EQ(Kinds(), "n");
  at(EventKind::kLearn, "d", 6000);
  EXPECT_EQ(Kinds(), "nr");
}

TEST_F(ShardWaiting, WithoutAWindowEachWaitsForItsOwnDeadline) {
  spec.forgetting.deadline.events = 10;
  Learn("a");
  Learn("b");
  Delete("a");
  LearnOthers(5);
  Delete("b");
  LearnOthers(5);
  EXPECT_EQ(Kinds(), "nnr");
  LearnOthers(5);
  EXPECT_EQ(Kinds(), "nnrr");
  EXPECT_EQ(probe.sigmas.size(), 2u);
}

TEST_F(ShardWaiting, OneDrawServesABatchWindow) {
  spec.forgetting.batch_window.events = 10;
  Learn("a");
  Learn("b");
  Delete("a");
  LearnOthers(5);
  Delete("b");
  LearnOthers(5);
  ASSERT_EQ(Kinds(), "nnrr");
  EXPECT_EQ(probe.sigmas.size(), 1u);
  EXPECT_EQ(Receipt(2, "sigma"), Receipt(3, "sigma"));
  EXPECT_EQ(Receipt(2, "effective/model_version"), Receipt(3, "effective/model_version"));
  EXPECT_EQ(shard->model_version().value, 14);  // twelve steps, two deletions
}

TEST_F(ShardWaiting, ADeadlineEndsAWindowEarly) {
  spec.forgetting.batch_window.events = 100;
  spec.forgetting.deadline.events = 3;
  Learn("a");
  Delete("a");
  LearnOthers(3);
  EXPECT_EQ(Kinds(), "nr");
}

TEST_F(ShardWaiting, ATargetIsServedAsSoonAsTheWholeBatchNeedsNoMoreNoise) {
  spec.forgetting.deadline.events = 100000;
  spec.forgetting.target_sigma = 0.5;
  Learn("a");
  Delete("a");
  EXPECT_EQ(Kinds(), "n");
  LearnOthers(400);
  ASSERT_EQ(Kinds(), "nr");
  EXPECT_LE(probe.sigmas[0], 0.5);
  EXPECT_GT(probe.sigmas[0], 0.4);
}

TEST_F(ShardWaiting, ATargetWithoutADeadlineIsRefused) {
  spec.forgetting.target_sigma = 0.5;
  const auto plan = Plan::Make(spec);
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.status().message().find("forgetting.deadline"), std::string::npos);
}

TEST_F(ShardWaiting, VariantPaperCannotWait) {
  spec.forgetting.mode = "active";
  spec.forgetting.active.variant = ActiveVariant::kPaper;
  spec.forgetting.deadline.events = 10;
  EXPECT_FALSE(Plan::Make(spec).ok());
  spec.forgetting.deadline = {};
  spec.forgetting.batch_window.event_time_ms = 10;
  EXPECT_FALSE(Plan::Make(spec).ok());
}

TEST_F(ShardWaiting, ARepeatedRequestNamesTheReceiptThatWillCome) {
  spec.forgetting.deadline.events = 5;
  Learn("a");
  Delete("a");
  Delete("a");
  EXPECT_EQ(Kinds(), "nr");
  EXPECT_EQ(Receipt(1, "outcome"), "already_forgotten");
  EXPECT_EQ(Receipt(1, "first_receipt"), Receipt(0, "receipt"));
  LearnOthers(5);
  EXPECT_EQ(Receipt(2, "outcome"), "forgotten");
  EXPECT_EQ(Receipt(2, "receipt"), Receipt(0, "receipt"));
}

TEST_F(ShardWaiting, NoticesAndReceiptsAreOneChain) {
  spec.forgetting.deadline.events = 2;
  Learn("a");
  Learn("b");
  Delete("a");
  Delete("b");
  LearnOthers(2);
  std::string previous = kChainStart;
  for (std::size_t k = 0; k < sink.published.size(); ++k) {
    EXPECT_EQ(Receipt(k, "previous"), previous);
    const Digest digest = hasher.Sha256(sink.published[k].bytes);
    previous = ToHex(digest.data(), digest.size());
  }
  EXPECT_EQ(sink.published.size(), 4u);
}

}  // namespace
}  // namespace lethe::testing::pending_requests_test
