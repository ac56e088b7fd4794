#include <chrono>
#include <string>

#include "connectors/kafka/admin.h"
#include "tests/support/kafka/bare.h"
#include "tests/support/kafka_fixture.h"

namespace lethe::kafka_admin_test {
namespace {

using std::chrono::milliseconds;

class KafkaAdminTest : public KafkaTest {};

TEST_F(KafkaAdminTest, TopicsAreMadeOnceWithTheirSettings) {
  const std::string topic = NewTopic(1, {{"cleanup.policy", "compact"}});
  const auto config = Admin().DescribeTopic(topic, kPatience);
  ASSERT_TRUE(config.ok()) << config.status().message();
  EXPECT_EQ(config.value().at("cleanup.policy"), "compact");
  EXPECT_EQ(config.value().at("retention.ms"), "604800000");
  const Status again = Admin().CreateTopic(topic, 1, {}, kPatience);
  EXPECT_EQ(again.code(), ErrorCode::kConfig);
  EXPECT_NE(again.message().find("already exists"), std::string::npos) << again.message();
  const Status bad = Admin().CreateTopic(UniqueTopic(), 1, {{"no.such.thing", "1"}}, kPatience);
  EXPECT_EQ(bad.code(), ErrorCode::kConfig) << bad.message();
}

TEST_F(KafkaAdminTest, WhatIsMissingIsSaid) {
  const std::string missing = UniqueTopic();
  EXPECT_EQ(Admin().DescribeTopic(missing, kPatience).status().code(), ErrorCode::kConfig);
  EXPECT_EQ(DeleteTopic(Settings(), missing, kPatience).code(), ErrorCode::kConfig);
  EXPECT_EQ(AddPartitions(Settings(), missing, 2, kPatience).code(), ErrorCode::kConfig);
  const auto nobody = KafkaAdmin::Open({kNoBroker, {}}, {}).value();
  const Status status = nobody->CreateTopic(missing, 1, {}, milliseconds(700));
  EXPECT_EQ(status.code(), ErrorCode::kUnavailable) << status.message();
}

TEST_F(KafkaAdminTest, BareConsumerCountsUpToAnOffset) {
  const std::string topic = NewTopic(1);
  Send({Learn(topic, 0), Learn(topic, 1), Learn(topic, 2), Learn(topic, 3)});
  const auto count = CountMessages(Settings(), topic, 0, Offset{1}, Offset{3}, kPatience);
  ASSERT_TRUE(count.ok()) << count.status().message();
  EXPECT_EQ(count.value().messages, 2);
  EXPECT_GT(count.value().bytes, 100);
  EXPECT_GT(count.value().seconds, 0);
  EXPECT_FALSE(CountMessages(Settings(), topic, 0, Offset{0}, Offset{9}, milliseconds(700)).ok());
}

}  // namespace
}  // namespace lethe::kafka_admin_test
