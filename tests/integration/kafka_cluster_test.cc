#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "connectors/kafka/cluster.h"
#include "tests/support/kafka/transaction.h"
#include "tests/support/kafka_fixture.h"

namespace lethe::kafka_cluster_test {
namespace {

using std::chrono::milliseconds;

class KafkaClusterTest : public KafkaTest {
 protected:
  void SetUp() override {
    KafkaTest::SetUp();
    cluster_ = KafkaCluster::Open(Settings(), log.Sink()).value();
  }

  void SendIn(TransactionEnd end, const std::vector<OutMessage>& messages) {
    const Status status = SendTransaction(Settings(), messages, end, kPatience);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  // Pairs of partition and offset.
  using Places = std::vector<std::pair<std::int32_t, std::int64_t>>;
  Places LastPlaces(const std::string& topic, const std::string& key) {
    auto found = cluster_->LastWithKey(topic, key, kPatience);
    EXPECT_TRUE(found.ok()) << found.status().message();
    Places places;
    for (const FoundMessage& message : found.value()) {
      EXPECT_EQ(message.key, key);
      places.emplace_back(message.partition, message.offset.value);
    }
    return places;
  }

  std::unique_ptr<KafkaCluster> cluster_;
};

TEST_F(KafkaClusterTest, ClusterHasAnIdThatStays) {
  const auto id = cluster_->ClusterId(kPatience);
  ASSERT_TRUE(id.ok()) << id.status().message();
  EXPECT_EQ(id.value().size(), 22u);
  const auto again = KafkaCluster::Open(Settings(), {}).value()->ClusterId(kPatience);
  EXPECT_EQ(id.value(), again.value());
}

TEST_F(KafkaClusterTest, PartitionsAreCountedAndAMissingTopicIsNotMade) {
  const std::string topic = NewTopic(3);
  EXPECT_EQ(cluster_->PartitionCount(topic, kPatience).value(), 3);
  ASSERT_TRUE(AddPartitions(Settings(), topic, 5, kPatience).ok());
  EXPECT_EQ(cluster_->PartitionCount(topic, kPatience).value(), 5);
  const std::string missing = UniqueTopic();
  for (int i = 0; i < 2; ++i) {
    const auto count = cluster_->PartitionCount(missing, kPatience);
    ASSERT_TRUE(count.ok()) << count.status().message();
    EXPECT_EQ(count.value(), std::nullopt);
  }
}

TEST_F(KafkaClusterTest, RangeIsFromTheStartOfTheLogToTheLastStableOffset) {
  const std::string topic = NewTopic(2);
  std::vector<OutMessage> messages;
  for (int i = 0; i < 5; ++i) messages.push_back(Learn(topic, i, 1));
  Send(messages);
  const auto range = [&](std::int32_t partition) {
    const auto found = cluster_->Range(topic, partition, kPatience);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return std::pair(found.value().first.value, found.value().next.value);
  };
  EXPECT_EQ(range(0), std::pair(std::int64_t{0}, std::int64_t{0}));
  EXPECT_EQ(range(1), std::pair(std::int64_t{0}, std::int64_t{5}));
  ASSERT_TRUE(DeleteRecordsBefore(Settings(), topic, 1, Offset{3}, kPatience).ok());
  SendIn(TransactionEnd::kAbort, {Learn(topic, 6, 1)});
  EXPECT_EQ(range(1), std::pair(std::int64_t{3}, std::int64_t{7}));
  EXPECT_EQ(cluster_->Range(topic, 2, kPatience).status().code(), ErrorCode::kConfig);
  EXPECT_EQ(cluster_->Range(UniqueTopic(), 0, kPatience).status().code(), ErrorCode::kConfig);
}

TEST_F(KafkaClusterTest, AtFindsARecordAndNothingInAGap) {
  const std::string topic = NewTopic(1);
  Send(
      {{topic, 0, "k", "v", {{"h", "1"}, {"h", "2"}}}, {topic, 0, std::nullopt, std::nullopt, {}}});
  SendIn(TransactionEnd::kAbort, {Learn(topic, 1), Learn(topic, 2)});  // 2 3, marker 4
  SendIn(TransactionEnd::kCommit, {Learn(topic, 3)});                  // 5, marker 6
  const auto at = [&](std::int64_t offset) {
    auto found = cluster_->At(topic, 0, Offset{offset}, kPatience);
    EXPECT_TRUE(found.ok()) << found.status().message();
    return std::move(found).value();
  };
  const auto first = at(0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->key, "k");
  EXPECT_EQ(first->value, "v");
  using Headers = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(first->headers, (Headers{{"h", "1"}, {"h", "2"}}));
  EXPECT_GT(first->timestamp.value, 1'500'000'000'000);
  const auto second = at(1);
  ASSERT_TRUE(second);
  EXPECT_EQ(second->key, std::nullopt);
  EXPECT_EQ(second->value, std::nullopt);
  for (const std::int64_t gap : {2, 3, 4, 6, 7, 100}) EXPECT_FALSE(at(gap)) << gap;
  const auto last = at(5);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->offset.value, 5);
  ASSERT_TRUE(DeleteRecordsBefore(Settings(), topic, 0, Offset{1}, kPatience).ok());
  EXPECT_FALSE(at(0));
  EXPECT_TRUE(at(1));
}

TEST_F(KafkaClusterTest, LastWithKeyLooksInEveryPartition) {
  const std::string topic = NewTopic(4);
  const auto message = [&](std::int32_t partition, const std::string& key) {
    return OutMessage{topic, partition, key, "v", {}};
  };
  EXPECT_EQ(LastPlaces(topic, "a"), Places{});
  Send({message(0, "a"),
        message(0, "a"),
        message(0, "b"),
        message(1, "ab"),
        message(3, "a"),
        {topic, 3, std::nullopt, "a", {}},
        {topic, 3, "c", std::nullopt, {}}});
  EXPECT_EQ(LastPlaces(topic, "a"), (Places{{0, 1}, {3, 0}}));
  EXPECT_EQ(LastPlaces(topic, "b"), (Places{{0, 2}}));
  EXPECT_EQ(LastPlaces(topic, "c"), (Places{{3, 2}}));
  EXPECT_EQ(LastPlaces(topic, "none"), Places{});
  EXPECT_EQ(LastPlaces(UniqueTopic(), "a"), Places{});
}

TEST_F(KafkaClusterTest, LastWithKeyGoesBackThroughManyWindows) {
  const std::string topic = NewTopic(1);
  std::vector<OutMessage> messages;
  for (int i = 0; i < 15'000; ++i) {
    std::string key = i == 0 ? "first" : i == 4000 || i == 4001 ? "early" : "other";
    if (i == 14'950) key = "late";
    messages.push_back({topic, 0, std::move(key), "v", {}});
  }
  Send(messages);
  EXPECT_EQ(LastPlaces(topic, "late"), (Places{{0, 14'950}}));
  EXPECT_EQ(LastPlaces(topic, "early"), (Places{{0, 4001}}));
  EXPECT_EQ(LastPlaces(topic, "first"), (Places{{0, 0}}));
  EXPECT_EQ(LastPlaces(topic, "none"), Places{});
}

TEST_F(KafkaClusterTest, LastWithKeyDoesNotSeeAbortedRecordsAndIsNotConfusedByGaps) {
  const std::string topic = NewTopic(1);
  const OutMessage message{topic, 0, "k", "v", {}};
  SendIn(TransactionEnd::kCommit, {message, message});  // 0 1, marker 2
  std::vector<OutMessage> aborted(300, message);
  SendIn(TransactionEnd::kAbort, aborted);  // more than the first window
  EXPECT_EQ(LastPlaces(topic, "k"), (Places{{0, 1}}));
  ASSERT_TRUE(DeleteRecordsBefore(Settings(), topic, 0, Offset{1}, kPatience).ok());
  EXPECT_EQ(LastPlaces(topic, "k"), (Places{{0, 1}}));
  ASSERT_TRUE(DeleteRecordsBefore(Settings(), topic, 0, Offset{2}, kPatience).ok());
  EXPECT_EQ(LastPlaces(topic, "k"), Places{});
}

TEST_F(KafkaClusterTest, BrokerThatDoesNotAnswerIsUnavailableAndTheMessageSaysWhich) {
  const auto cluster = KafkaCluster::Open({kNoBroker, {}}, log.Sink()).value();
  const milliseconds wait(700);
  const std::vector<Status> all = {
      cluster->ClusterId(wait).status(), cluster->PartitionCount("t", wait).status(),
      cluster->Range("t", 0, wait).status(), cluster->At("t", 0, Offset{0}, wait).status(),
      cluster->LastWithKey("t", "k", wait).status()};
  for (const Status& status : all) {
    EXPECT_EQ(status.code(), ErrorCode::kUnavailable) << status.message();
    EXPECT_NE(status.message().find(kNoBroker), std::string::npos) << status.message();
    EXPECT_NE(status.message().find("Connection refused"), std::string::npos) << status.message();
  }
  EXPECT_NE(log.text().find("Connection refused"), std::string::npos) << log.text();
}

TEST_F(KafkaClusterTest, PasswordOpensTheListenerThatWantsOne) {
  KafkaSettings settings = Settings("sasl_address");
  settings.properties = {{"security.protocol", "SASL_PLAINTEXT"},
                         {"sasl.mechanism", "PLAIN"},
                         {"sasl.username", "lethe"},
                         {"sasl.password", "forget-me"}};
  const auto id = KafkaCluster::Open(settings, {}).value()->ClusterId(kPatience);
  ASSERT_TRUE(id.ok()) << id.status().message();
  EXPECT_EQ(id.value(), cluster_->ClusterId(kPatience).value());

  settings.properties["sasl.password"] = "wr0ng-secret";
  const auto refused =
      KafkaCluster::Open(settings, log.Sink()).value()->ClusterId(milliseconds(2000));
  EXPECT_EQ(refused.status().code(), ErrorCode::kUnavailable);
  EXPECT_NE(refused.status().message().find("uthentication"), std::string::npos)
      << refused.status().message();
  EXPECT_EQ((refused.status().message() + log.text()).find("wr0ng-secret"), std::string::npos);
}

}  // namespace
}  // namespace lethe::kafka_cluster_test
