#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "connectors/kafka/cluster.h"
#include "connectors/kafka/producer.h"
#include "tests/support/kafka_fixture.h"

namespace lethe::kafka_producer_test {
namespace {

using std::chrono::milliseconds;

class KafkaProducerTest : public KafkaTest {
 protected:
  // Sends and waits for the report.
  static Status Deliver(KafkaProducer& producer, const OutMessage& message) {
    auto report = std::make_shared<std::promise<Status>>();
    auto future = report->get_future();
    const Status sent = producer.Send(
        message, [report](Status status) { report->set_value(std::move(status)); }, kPatience);
    if (!sent.ok()) return sent;
    if (future.wait_for(kPatience) != std::future_status::ready) {
      return {ErrorCode::kInternal, "no report"};
    }
    return future.get();
  }
};

TEST_F(KafkaProducerTest, MessagesArriveAsTheyAre) {
  const std::string topic = NewTopic(2);
  auto producer = KafkaProducer::Start(Settings(), log.Sink()).value();
  const std::string bytes("\0\xff\n", 3);
  for (const OutMessage& message : std::vector<OutMessage>{
           {topic, 1, bytes, bytes, {{"__lethe.errors.reason", "malformed"}, {"empty", ""}}},
           {topic, 1, "", "", {}},
           {topic, 1, std::nullopt, std::nullopt, {}}}) {
    const Status status = Deliver(*producer, message);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  EXPECT_TRUE(producer->Flush(kPatience).ok());
  EXPECT_EQ(producer->outstanding(), 0);
  const auto cluster = KafkaCluster::Open(Settings(), {}).value();
  const auto at = [&](std::int64_t offset) {
    return cluster->At(topic, 1, Offset{offset}, kPatience).value().value();
  };
  EXPECT_EQ(at(0).key, bytes);
  EXPECT_EQ(at(0).value, bytes);
  using Headers = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(at(0).headers, (Headers{{"__lethe.errors.reason", "malformed"}, {"empty", ""}}));
  EXPECT_EQ(at(1).key, "");
  EXPECT_EQ(at(1).value, "");
  EXPECT_EQ(at(2).key, std::nullopt);
  EXPECT_EQ(at(2).value, std::nullopt);
}

TEST_F(KafkaProducerTest, PartitionerIsTheOneThatWasAskedFor) {
  const std::string topic = NewTopic(6);
  Send({{topic, std::nullopt, "21", "v", {}}, {topic, std::nullopt, "foobar", "v", {}}},
       With("partitioner", "murmur2"));
  const auto cluster = KafkaCluster::Open(Settings(), {}).value();
  const auto partition_of = [&](const std::string& key) {
    const auto found = cluster->LastWithKey(topic, key, kPatience).value();
    return found.size() == 1 ? found[0].partition : -1;
  };
  // Kafka's own test vectors: murmur2("21") = -973932308, murmur2("foobar") = -790332482.
  EXPECT_EQ(partition_of("21"), (-973932308 & 0x7fffffff) % 6);
  EXPECT_EQ(partition_of("foobar"), (-790332482 & 0x7fffffff) % 6);
}

TEST_F(KafkaProducerTest, MissingTopicFailsInSecondsAndTheMessageNamesIt) {
  auto producer = KafkaProducer::Start(Settings(), log.Sink()).value();
  const std::string missing = UniqueTopic();
  const auto began = std::chrono::steady_clock::now();
  const Status status = Deliver(*producer, {missing, std::nullopt, "k", "v", {}});
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15));
  EXPECT_EQ(status.code(), ErrorCode::kConfig);
  EXPECT_NE(status.message().find(missing), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("create it"), std::string::npos) << status.message();
  // Flush tells it once; other topics are not affected.
  EXPECT_EQ(producer->Flush(kPatience).code(), ErrorCode::kConfig);
  EXPECT_TRUE(producer->Flush(kPatience).ok());
  EXPECT_TRUE(Deliver(*producer, {NewTopic(1), 0, "k", "v", {}}).ok());
}

TEST_F(KafkaProducerTest, TopicThatIsDeletedMeanwhileFailsInSecondsToo) {
  const std::string topic = NewTopic(2);
  auto producer = KafkaProducer::Start(Settings(), log.Sink()).value();
  ASSERT_TRUE(Deliver(*producer, {topic, 0, "k", "v", {}}).ok());
  ASSERT_TRUE(DeleteTopic(Settings(), topic, kPatience).ok());
  for (const std::optional<std::int32_t> partition : {std::optional(0), {}}) {
    const Status status = Deliver(*producer, {topic, partition, "k", "v", {}});
    EXPECT_EQ(status.code(), ErrorCode::kConfig) << status.message();
  }
}

TEST_F(KafkaProducerTest, MissingPartitionAndTooLargeMessagesFail) {
  const std::string topic = NewTopic(1, {{"max.message.bytes", "1000"}});
  auto producer = KafkaProducer::Start(Settings(), log.Sink()).value();
  EXPECT_EQ(Deliver(*producer, {topic, 7, "k", "v", {}}).code(), ErrorCode::kConfig);
  // The broker refuses the first, librdkafka itself the second.
  EXPECT_EQ(Deliver(*producer, {topic, 0, "k", std::string(5000, 'x'), {}}).code(),
            ErrorCode::kInput);
  EXPECT_EQ(Deliver(*producer, {topic, 0, "k", std::string(5'000'000, 'x'), {}}).code(),
            ErrorCode::kInput);
  EXPECT_TRUE(Deliver(*producer, {topic, 0, "k", "v", {}}).ok());
}

TEST_F(KafkaProducerTest, BrokerThatIsAwayIsWaitedFor) {
  CollectedLog lines;
  int reports = 0;
  {
    KafkaSettings settings{kNoBroker, {{"queue.buffering.max.messages", "2"}}};
    auto producer = KafkaProducer::Start(settings, lines.Sink()).value();
    const auto on_delivery = [&](Status status) {
      EXPECT_EQ(status.code(), ErrorCode::kUnavailable);
      ++reports;
    };
    for (int i = 0; i < 2; ++i) {
      ASSERT_TRUE(producer->Send({"t", 0, "k", "v", {}}, on_delivery, milliseconds(0)).ok());
    }
    const Status full = producer->Send({"t", 0, "k", "v", {}}, on_delivery, milliseconds(300));
    EXPECT_EQ(full.code(), ErrorCode::kUnavailable);
    const Status flushed = producer->Flush(milliseconds(700));
    EXPECT_EQ(flushed.code(), ErrorCode::kUnavailable);
    EXPECT_NE(flushed.message().find(kNoBroker), std::string::npos) << flushed.message();
    EXPECT_NE(flushed.message().find("Connection refused"), std::string::npos) << flushed.message();
    EXPECT_EQ(producer->outstanding(), 2);
    EXPECT_EQ(reports, 0);
  }
  // Each is told its end, when nobody waits any more.
  EXPECT_EQ(reports, 2);
  EXPECT_NE(lines.text().find("Connection refused"), std::string::npos) << lines.text();
}

TEST_F(KafkaProducerTest, FlushDoesNotWaitForWhatIsSentAfterIt) {
  const std::string topic = NewTopic(1);
  auto producer = KafkaProducer::Start(Settings(), log.Sink()).value();
  std::atomic<bool> stop = false;
  std::thread other([&] {
    while (!stop) {
      EXPECT_TRUE(producer->Send({topic, 0, "k", "v", {}}, {}, kPatience).ok());
      std::this_thread::sleep_for(milliseconds(1));
    }
  });
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(producer->Send({topic, 0, "k", "v", {}}, {}, kPatience).ok());
    EXPECT_TRUE(producer->Flush(kPatience).ok());
  }
  stop = true;
  other.join();
}

}  // namespace
}  // namespace lethe::kafka_producer_test
