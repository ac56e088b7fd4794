// Owner records decide which of two processes goes on, in every order in which they can come.

#include "app/run/ownership.h"

#include "engine/shard/receipt.h"
#include "tests/support/kafka_fixture.h"

namespace lethe::ownership_test {
namespace {

class OwnershipTest : public KafkaTest {
 protected:
  void SetUp() override {
    KafkaTest::SetUp();
    config_.spec.topic = "people";
    config_.publish.receipts_topic = NewTopic(2);
    cluster_ = KafkaCluster::Open(Settings(), log.Sink()).value();
    producer_ = KafkaProducer::Start(Settings(), log.Sink()).value();
  }

  static ShardIdentity Identity(std::uint8_t state) {
    ShardIdentity identity;
    identity.shard = ShardId{0};
    identity.state[0] = state;
    return identity;
  }
  std::unique_ptr<Ownership> Process(const std::string& instance) {
    return std::make_unique<Ownership>(config_, *cluster_, *producer_, instance);
  }
  static ErrorCode Follow(Ownership& process) {
    return process.Follow([] { return false; }).code();
  }
  std::int64_t End() {
    return cluster_->Range(*config_.publish.receipts_topic, 0, kPatience).value().next.value;
  }
  // An owner record of a process that had seen everything before an offset.
  void SendRecord(const std::string& instance, std::int64_t seen) {
    Send({{*config_.publish.receipts_topic,
           0,
           "owner/people/0",
           "{}",
           {{"lethe.state", "another"},
            {"lethe.instance", instance},
            {"lethe.seen", std::to_string(seen)}}}});
  }

  static constexpr Ownership::Rights kNew{.is_new = true, .begin_anew = false};
  static constexpr Ownership::Rights kAnew{.is_new = true, .begin_anew = true};
  static constexpr Ownership::Rights kOld{.is_new = false, .begin_anew = false};
  Config config_;
  std::unique_ptr<KafkaCluster> cluster_;
  std::unique_ptr<KafkaProducer> producer_;
};

TEST_F(OwnershipTest, AnotherStateIsRefusedUnlessItBeginsAnew) {
  const auto first = Process("a");
  ASSERT_TRUE(first->Claim(Identity(1), kNew).ok());
  EXPECT_EQ(Process("b")->Claim(Identity(2), kNew).status().code(), ErrorCode::kInput);
  EXPECT_EQ(Process("b")->Claim(Identity(2), kOld).status().code(), ErrorCode::kInput);
  EXPECT_EQ(Follow(*first), ErrorCode::kOk);
  const auto second = Process("c");
  const auto taken = second->Claim(Identity(3), kAnew);
  ASSERT_TRUE(taken.ok()) << taken.status().message();
  EXPECT_EQ(taken.value(), ToText(Identity(1).state));
  EXPECT_EQ(Follow(*first), ErrorCode::kInput);
  EXPECT_EQ(Follow(*second), ErrorCode::kOk);
}

TEST_F(OwnershipTest, ARestartTakesOverAtOnce) {
  const auto before = Process("a");
  ASSERT_TRUE(before->Claim(Identity(1), kNew).ok());
  const auto after = Process("b");
  const auto taken = after->Claim(Identity(1), kOld);
  ASSERT_TRUE(taken.ok()) << taken.status().message();
  EXPECT_EQ(taken.value(), std::nullopt);
  EXPECT_EQ(Follow(*before), ErrorCode::kInput);
  EXPECT_EQ(Follow(*after), ErrorCode::kOk);
}

TEST_F(OwnershipTest, OneThatHadNotSeenTheOwnerGivesWayAndIsNoOwnerLater) {
  const auto owner = Process("a");
  ASSERT_TRUE(owner->Claim(Identity(1), kNew).ok());
  SendRecord("late", 0);
  EXPECT_EQ(Follow(*owner), ErrorCode::kOk);
  const auto after = Process("b");
  EXPECT_TRUE(after->Claim(Identity(1), kOld).ok());
  SendRecord("copy", End());
  EXPECT_EQ(Follow(*after), ErrorCode::kInput);
}

TEST_F(OwnershipTest, OtherShardsAndOtherRecordsAreNoMatter) {
  const auto owner = Process("a");
  ASSERT_TRUE(owner->Claim(Identity(1), kNew).ok());
  ShardIdentity other = Identity(2);
  other.shard = ShardId{1};
  EXPECT_TRUE(Process("b")->Claim(other, kNew).ok());
  Send({{*config_.publish.receipts_topic, 0, "people/0", "{}", {{"lethe.state", "another"}}}});
  EXPECT_EQ(Follow(*owner), ErrorCode::kOk);
}

TEST_F(OwnershipTest, TheRecordStaysNearTheEndOfTheTopic) {
  const auto owner = Process("a");
  ASSERT_TRUE(owner->Claim(Identity(1), kNew).ok());
  const std::vector<OutMessage> many(10'050,
                                     {*config_.publish.receipts_topic, 0, "people/1", "{}", {}});
  Send(many);
  EXPECT_EQ(Follow(*owner), ErrorCode::kOk);
  const auto last =
      cluster_->LastWithKey(*config_.publish.receipts_topic, "owner/people/0", kPatience).value();
  ASSERT_EQ(last.size(), 1u);
  EXPECT_GT(last[0].offset.value, 10'000);
  // A copy that begins now takes over all the same, and one that had seen only the first does not.
  EXPECT_EQ(Follow(*owner), ErrorCode::kOk);
  SendRecord("late", 5000);
  EXPECT_EQ(Follow(*owner), ErrorCode::kOk);
  SendRecord("copy", End());
  EXPECT_EQ(Follow(*owner), ErrorCode::kInput);
}

TEST_F(OwnershipTest, AReceiptsTopicThatWasMadeAnewIsNoticed) {
  const auto owner = Process("a");
  ASSERT_TRUE(owner->Claim(Identity(1), kNew).ok());
  ASSERT_TRUE(DeleteTopic(Settings(), *config_.publish.receipts_topic, kPatience).ok());
  Status made;
  for (int i = 0; i < 100; ++i) {
    made = Admin().CreateTopic(*config_.publish.receipts_topic, 2, {}, kPatience);
    if (made.ok()) break;
    usleep(50'000);
  }
  ASSERT_TRUE(made.ok()) << made.message();
  ErrorCode code = ErrorCode::kOk;
  for (int i = 0; i < 100 && code != ErrorCode::kInput; ++i) {
    code = Follow(*owner);
    usleep(50'000);
  }
  EXPECT_EQ(code, ErrorCode::kInput);
}

}  // namespace
}  // namespace lethe::ownership_test
