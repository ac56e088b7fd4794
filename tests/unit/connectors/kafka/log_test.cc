#include "connectors/kafka/log.h"

#include <chrono>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace lethe::kafka::kafka_log_test {
namespace {

using std::chrono::seconds;
using Lines = std::vector<std::string>;

class KafkaLogTest : public ::testing::Test {
 protected:
  void Tell(const std::string& line, int second) {
    log_.TellAt(line, RateLimitedLog::Clock::time_point() + seconds(1000 + second));
  }

  Lines lines_;
  RateLimitedLog log_{[this](const std::string& line) { lines_.push_back(line); }};
};

TEST_F(KafkaLogTest, SameTextIsToldEveryTenSecondsWithTheNumberLeftOut) {
  for (int second = 0; second <= 10; ++second) Tell("down", second);
  Tell("other", 3);
  Tell("down", 20);
  EXPECT_EQ(lines_, (Lines{"down", "down (and 9 times since)", "other", "down"}));
}

TEST_F(KafkaLogTest, HowLongAnAttemptTookDoesNotMakeItAnother) {
  Tell("refused (after 0ms in state CONNECT)", 0);
  Tell("refused (after 17ms in state CONNECT, 3 identical error(s) suppressed)", 1);
  EXPECT_EQ(lines_, Lines{"refused"});
}

TEST_F(KafkaLogTest, ConnectionsThatSayTheSameAreHeardOnce) {
  RateLimitedLog::Clock::time_point now;
  const KafkaLog share = [&](const std::string& line) { log_.TellAt(line, now); };
  RateLimitedLog consumer(share);
  RateLimitedLog producer(share);
  for (const int ms : {0, 1, 2, 10'100}) {
    now = RateLimitedLog::Clock::time_point() + seconds(1000) + std::chrono::milliseconds(ms);
    consumer.TellAt("broker away", now);
    producer.TellAt("broker away", now);
  }
  // Left out so far: the first of the producer, and two of the consumer.
  EXPECT_EQ(lines_, (Lines{"broker away", "broker away (and 3 times since)"}));
}

TEST_F(KafkaLogTest, LineIsOneLine) {
  Tell("a\nb\r", 0);
  EXPECT_EQ(lines_, Lines{"a b "});
}

TEST_F(KafkaLogTest, ManyTextsDoNotFillTheMemoryAndAreAllTold) {
  for (int i = 0; i < 1000; ++i) Tell(std::to_string(i), 0);
  EXPECT_EQ(lines_.size(), 1000u);
}

TEST_F(KafkaLogTest, NoSinkIsNoTrouble) { RateLimitedLog({}).Tell("x"); }

}  // namespace
}  // namespace lethe::kafka::kafka_log_test
