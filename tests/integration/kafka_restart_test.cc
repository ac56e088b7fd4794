#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "connectors/kafka/cluster.h"
#include "connectors/kafka/consumer.h"
#include "connectors/kafka/producer.h"
#include "tests/support/kafka_fixture.h"

namespace lethe::kafka_restart_test {
namespace {

using std::chrono::milliseconds;

class KafkaRestartTest : public KafkaTest {
 protected:
  // A producer and a consumer run all the while; the broker is taken down by `how` and comes back.
  void TakeBrokerDown(const std::string& how);
};

void KafkaRestartTest::TakeBrokerDown(const std::string& how) {
  const std::string topic = NewTopic(2);
  auto producer = KafkaProducer::Start(Settings(), log.Sink()).value();
  const auto consumer = Consume(Settings(), topic, {{0, Offset{0}}, {1, Offset{0}}}, log.Sink());
  std::atomic<bool> stop = false;
  std::atomic<int> sent = 0;
  std::atomic<int> delivered = 0;
  std::thread sender([&] {
    for (; !stop; ++sent) {
      const auto on_delivery = [&](const Status& status) {
        EXPECT_TRUE(status.ok()) << status.message();
        ++delivered;
      };
      const OutMessage message = Learn(topic, sent / 2, sent % 2);
      ASSERT_TRUE(producer->Send(message, on_delivery, kPatience).ok());
      std::this_thread::sleep_for(milliseconds(1));
    }
  });
  const auto take = [&](std::vector<Record>& all, std::int32_t partition, std::size_t count,
                        milliseconds patience) {
    const auto more = Take(*consumer, partition, count, patience);
    all.insert(all.end(), more.begin(), more.end());
  };
  std::map<std::int32_t, std::vector<Record>> seen;
  for (std::int32_t partition : {0, 1}) take(seen[partition], partition, 200, kPatience);

  Broker(how);
  take(seen[0], 0, 1'000'000, milliseconds(2500));  // what is left, and no error
  Broker("start");

  std::this_thread::sleep_for(milliseconds(1000));
  stop = true;
  sender.join();
  const Status flushed = producer->Flush(milliseconds(60'000));
  ASSERT_TRUE(flushed.ok()) << flushed.message();
  EXPECT_EQ(delivered, sent);
  for (std::int32_t partition : {0, 1}) {
    std::vector<Record>& all = seen[partition];
    const auto expected = static_cast<std::size_t>((sent + 1 - partition) / 2);
    take(all, partition, expected - all.size(), milliseconds(60'000));
    ASSERT_EQ(all.size(), expected);
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(all[i].offset.value, static_cast<std::int64_t>(i));
      ASSERT_EQ(all[i].event.id, "e-" + std::to_string(i));
    }
    EXPECT_EQ(NextBatch(*consumer, partition, milliseconds(1000)).value(), nullptr);
  }
  const std::string told = log.text();
  EXPECT_NE(told.find("Connection refused"), std::string::npos) << told;
  EXPECT_NE(told.find("answer again"), std::string::npos) << told;
  EXPECT_LT(std::count(told.begin(), told.end(), '\n'), 60) << told;
}

TEST_F(KafkaRestartTest, BrokerThatIsRestartedLosesDoublesAndReordersNothing) {
  TakeBrokerDown("stop");
}

TEST_F(KafkaRestartTest, BrokerThatIsKilledLosesDoublesAndReordersNothing) {
  TakeBrokerDown("kill");
}

TEST_F(KafkaRestartTest, EverythingMayStartBeforeTheBroker) {
  const std::string topic = NewTopic(1);
  const KafkaSettings settings = Settings();
  Broker("stop");
  const auto consumer = Consume(settings, topic, {{0, Offset{0}}}, log.Sink());
  auto producer = KafkaProducer::Start(settings, log.Sink()).value();
  const auto cluster = KafkaCluster::Open(settings, log.Sink()).value();
  ASSERT_TRUE(producer->Send(Learn(topic, 0), {}, kPatience).ok());
  EXPECT_EQ(cluster->ClusterId(milliseconds(500)).status().code(), ErrorCode::kUnavailable);
  EXPECT_EQ(NextBatch(*consumer, 0, milliseconds(500)).value(), nullptr);
  EXPECT_EQ(consumer->Lag(0), -1);
  Broker("start");
  EXPECT_EQ(Take(*consumer, 0, 1).size(), 1u);
  EXPECT_TRUE(producer->Flush(kPatience).ok());
  EXPECT_TRUE(cluster->ClusterId(kPatience).ok());
}

// The ends must not wait for a broker that is not there.
TEST_F(KafkaRestartTest, EverythingEndsWithoutABroker) {
  const std::string topic = NewTopic(1);
  Send({Learn(topic, 0)});
  auto consumer = Consume(Settings(), topic, {{0, Offset{0}}}, log.Sink());
  EXPECT_EQ(Take(*consumer, 0, 1).size(), 1u);
  auto producer = KafkaProducer::Start(Settings(), log.Sink()).value();
  Broker("kill");
  ASSERT_TRUE(producer->Send(Learn(topic, 1), {}, kPatience).ok());
  std::this_thread::sleep_for(milliseconds(500));
  const auto began = std::chrono::steady_clock::now();
  consumer.reset();
  producer.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(8));
}

}  // namespace
}  // namespace lethe::kafka_restart_test
