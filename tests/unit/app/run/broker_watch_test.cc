#include "app/run/broker_watch.h"

#include <gtest/gtest.h>

#include "tests/support/http_fixture.h"

// What is told outside when no broker answers.
namespace lethe::broker_watch_test {
namespace {

using std::chrono::seconds;

class FixedClock final : public Clock {
 public:
  std::int64_t NowMs() override { return 1'700'000'000'000; }
  std::int64_t MonotonicNs() override { return 0; }
};

class BrokerWatchTest : public ::testing::Test {
 protected:
  BrokerWatchTest() {
    published_.SetReady("start");
    published_.Show(testing::FullReport(0, Vector::Ones(2), 10));
  }

  FixedClock clock_;
  PublishedState published_{testing::DenseFacts()};
  PipelineMetrics metrics_{published_, "1.2.3"};
  BrokerWatch watch_{"b:9092", clock_, published_, metrics_};
};

TEST_F(BrokerWatchTest, ASilentBrokerMakesTheProcessNotReadyAndAnAnswerReadyAgain) {
  EXPECT_FALSE(watch_.Look({.connected = 1, .silence = seconds(1), .last_error = ""}));
  EXPECT_TRUE(published_.not_ready().empty());
  EXPECT_FALSE(watch_.Look({.connected = 0, .silence = seconds(30), .last_error = "refused"}));
  EXPECT_TRUE(published_.not_ready().empty()) << "not yet";

  EXPECT_TRUE(watch_.Look({.connected = 0, .silence = seconds(31), .last_error = "refused"}));
  ASSERT_EQ(published_.not_ready().size(), 1U);
  const std::string reason = published_.not_ready().front();
  EXPECT_NE(reason.find("no answer from b:9092 for more than 30 seconds"), std::string::npos);
  EXPECT_NE(reason.find("refused"), std::string::npos) << reason;
  EXPECT_FALSE(published_.unhealthy()) << "a restart would not help";
  ASSERT_EQ(published_.troubles().size(), 1U);

  EXPECT_FALSE(watch_.Look({.connected = 0, .silence = seconds(600), .last_error = "refused"}));
  EXPECT_EQ(published_.troubles().size(), 1U) << "told once";

  EXPECT_TRUE(watch_.Look({.connected = 1, .silence = seconds(0), .last_error = "refused"}));
  EXPECT_TRUE(published_.not_ready().empty());
}

TEST_F(BrokerWatchTest, TheLastContactIsATimestamp) {
  watch_.Look({.connected = 0, .silence = seconds(20), .last_error = ""});
  EXPECT_EQ(metrics_.brokers().connected, 0);
  EXPECT_EQ(metrics_.brokers().last_contact, 1'700'000'000.0 - 20);
}

}  // namespace
}  // namespace lethe::broker_watch_test
