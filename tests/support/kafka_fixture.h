#pragma once

#include <test_paths.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/kafka/admin.h"
#include "connectors/kafka/consumer.h"
#include "connectors/kafka/producer.h"
#include "connectors/kafka/settings.h"
#include "tests/support/decoded_batch.h"
#include "tests/support/kafka/topics.h"

namespace lethe {

inline constexpr std::chrono::milliseconds kPatience{30'000};  // for a broker that has much to do
inline constexpr char kNoBroker[] = "127.0.0.1:9";             // nobody listens there

// The log lines of a connector.
class CollectedLog {
 public:
  KafkaLog Sink() {
    return [lines = lines_](const std::string& line) {
      std::lock_guard lock(lines->mutex);
      lines->all += line + "\n";
    };
  }
  std::string text() const {
    std::lock_guard lock(lines_->mutex);
    return lines_->all;
  }

 private:
  struct Lines {
    std::mutex mutex;
    std::string all;
  };
  const std::shared_ptr<Lines> lines_ = std::make_shared<Lines>();
};

// A test against the real broker that ctest has started (tests/broker), with its own topics. Other
// tests may use the broker at the same time, unless the suite is listed in tests/CMakeLists.txt as
// one that stops it.
class KafkaTest : public ::testing::Test {
 protected:
  void SetUp() override { Broker("start"); }  // a test before may have failed while it was down

  // Runs tests/broker/broker.sh: start, stop, kill.
  static void Broker(const std::string& command) {
    const std::string line = std::string("bash '") + LETHE_SOURCE_DIR +
                             "/tests/broker/broker.sh' " + command + " '" + BrokerFolder() +
                             "' >/dev/null";
    ASSERT_EQ(std::system(line.c_str()), 0) << line;
  }
  static std::string BrokerFolder() {
    const char* const named = std::getenv("LETHE_BROKER_DIR");
    return named != nullptr ? named : LETHE_BROKER_DIR;
  }

  static KafkaSettings Settings(const std::string& file = "address") {
    std::ifstream in(BrokerFolder() + "/" + file);
    KafkaSettings settings;
    EXPECT_TRUE(in >> settings.brokers) << "no broker: run this by ctest, or start tests/broker";
    return settings;
  }
  static KafkaSettings With(const std::string& name, const std::string& value) {
    KafkaSettings settings = Settings();
    settings.properties[name] = value;
    return settings;
  }

  KafkaAdmin& Admin() {
    if (admin_ == nullptr) admin_ = KafkaAdmin::Open(Settings(), log.Sink()).value();
    return *admin_;
  }

  static std::string UniqueTopic() {
    static int number = 0;
    const auto now = std::chrono::system_clock::now().time_since_epoch().count();
    return "test-" + std::to_string(getpid()) + "-" + std::to_string(now) + "-" +
           std::to_string(number++);
  }
  std::string NewTopic(std::int32_t partitions, const KafkaAdmin::TopicConfig& config = {}) {
    const std::string topic = UniqueTopic();
    const Status status = Admin().CreateTopic(topic, partitions, config, kPatience);
    EXPECT_TRUE(status.ok()) << status.message();
    return topic;
  }

  // Sends the messages and waits for their acknowledgements.
  static void Send(const std::vector<OutMessage>& messages,
                   const KafkaSettings& settings = Settings()) {
    auto producer = KafkaProducer::Start(settings, {}).value();
    for (const OutMessage& message : messages) {
      ASSERT_TRUE(producer->Send(message, {}, kPatience).ok());
    }
    const Status status = producer->Flush(kPatience);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  static OutMessage Learn(const std::string& topic, int number, std::int32_t partition = 0) {
    return {topic,
            partition,
            "user-" + std::to_string(number % 7),
            R"({"type":"learn","id":"e-)" + std::to_string(number) + R"(","x":[0.5,-0.25],"y":1})",
            {}};
  }

  static std::unique_ptr<KafkaConsumer> Consume(const KafkaSettings& settings,
                                                const std::string& topic,
                                                const std::vector<Assignment>& from,
                                                KafkaLog sink = {}) {
    auto consumer = KafkaConsumer::Start(settings, topic, from, std::move(sink));
    EXPECT_TRUE(consumer.ok()) << consumer.status().message();
    return std::move(consumer).value();
  }

  // The next `count` records of a partition, or fewer if they do not come in time.
  static std::vector<Record> Take(KafkaConsumer& consumer, std::int32_t partition,
                                  std::size_t count,
                                  std::chrono::milliseconds patience = kPatience) {
    std::vector<Record> all;
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (all.size() < count && std::chrono::steady_clock::now() < deadline) {
      auto batch = NextBatch(consumer, partition, std::chrono::milliseconds(100));
      if (!batch.ok()) {
        ADD_FAILURE() << batch.status().message();
        break;
      }
      if (batch.value() == nullptr) continue;
      for (const Record& record : batch.value()->records) all.push_back(record);
    }
    return all;
  }
  // The error that ends a partition.
  static Status TakeError(KafkaConsumer& consumer, std::int32_t partition) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (std::chrono::steady_clock::now() < deadline) {
      auto batch = NextBatch(consumer, partition, std::chrono::milliseconds(100));
      if (!batch.ok()) return batch.status();
      if (batch.value() != nullptr) {
        ADD_FAILURE() << "records instead of an error, from offset "
                      << batch.value()->records[0].offset.value;
        return {};
      }
    }
    ADD_FAILURE() << "no error";
    return {};
  }
  static std::vector<std::int64_t> Offsets(const std::vector<Record>& records) {
    std::vector<std::int64_t> offsets;
    for (const Record& record : records) offsets.push_back(record.offset.value);
    return offsets;
  }

  CollectedLog log;

 private:
  std::unique_ptr<KafkaAdmin> admin_;
};

}  // namespace lethe
