#include "connectors/kafka/contact.h"

#include <chrono>
#include <functional>
#include <thread>

#include <gtest/gtest.h>

#include "connectors/kafka/consumer.h"
#include "connectors/kafka/mock.h"
#include "connectors/kafka/producer.h"

// Whether the brokers are there, as a client sees it.
namespace lethe::contact_test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

std::string Broker(const std::string& name, int node, const std::string& source,
                   const std::string& state, int idle) {
  return "\"" + name + "\":{\"name\":\"" + name + "\",\"nodeid\":" + std::to_string(node) +
         ",\"source\":\"" + source + "\",\"state\":\"" + state +
         "\",\"rxidle\":" + std::to_string(idle) + "}";
}

TEST(KafkaContact, CountsBrokersThatAreUpOnceEach) {
  const auto found = kafka::ReadBrokerStatistics(
      "{\"name\":\"lethe\",\"brokers\":{" + Broker("b:1/bootstrap", -1, "configured", "UP", 900) +
      "," + Broker("b:1/1", 1, "learned", "UP", 500) + "," +
      Broker("b:2/2", 2, "learned", "CONNECT", 7'000'000) + "," +
      Broker("b:3/3", 3, "learned", "UPDATE", -1) + "," +
      Broker("GroupCoordinator", 1, "logical", "UP", 800) + "}}");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->connected, 2);
  EXPECT_EQ(found->silence, microseconds(500));
}

TEST(KafkaContact, NothingWasReceivedYet) {
  const auto found = kafka::ReadBrokerStatistics(
      "{\"brokers\":{" + Broker("b:1/bootstrap", -1, "configured", "INIT", -1) + "}}");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->connected, 0);
  EXPECT_FALSE(found->silence);
}

TEST(KafkaContact, OtherTextSaysNothing) {
  for (const char* text :
       {"", "[]", "{}", "{\"brokers\":{\"b\":{\"nodeid\":1}}}", "{\"brokers\":"}) {
    EXPECT_FALSE(kafka::ReadBrokerStatistics(text)) << text;
  }
}

bool Eventually(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + seconds(60);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(milliseconds(50));
  }
  return true;
}

TEST(KafkaContact, AConsumerWhoseBrokerIsGoneKnowsNeitherItsLagNorABroker) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "librdkafka crashes under ThreadSanitizer";
#endif
  auto mock = KafkaMock::Start().value();
  ASSERT_TRUE(mock->CreateTopic("events", 1).ok());
  KafkaSettings settings;
  settings.brokers = mock->brokers();
  const auto consumer = KafkaConsumer::Start(settings, "events", {{0, Offset{0}}}, {}).value();
  const auto producer = KafkaProducer::Start(settings, {}).value();
  ASSERT_TRUE(Eventually(
      [&] { return consumer->contact().connected.value_or(0) == 1 && consumer->Lag(0) == 0; }));
  EXPECT_FALSE(producer->oldest_age());

  mock.reset();
  ASSERT_TRUE(producer->Send({"events", 0, "k", "v", {}}, {}, milliseconds(0)).ok());
  EXPECT_TRUE(Eventually([&] {
    const BrokerContact contact = consumer->contact();
    return contact.connected == 0 && consumer->Lag(0) == -1 && contact.silence > seconds(3);
  }));
  EXPECT_FALSE(consumer->contact().last_error.empty());
  EXPECT_EQ(producer->outstanding(), 1);
  ASSERT_TRUE(producer->oldest_age());
  EXPECT_GT(*producer->oldest_age(), milliseconds(100));
}

}  // namespace
}  // namespace lethe::contact_test
