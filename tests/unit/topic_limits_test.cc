#include <gtest/gtest.h>

#include "app/topics/limits.h"

namespace lethe {
namespace {

using Properties = std::map<std::string, std::string>;

Properties Fitted(const Properties& of_user, const std::vector<std::int64_t>& limits) {
  return FitToLimits({"a:9092", of_user}, limits).properties;
}

TEST(TopicLimitsTest, AProducerSendsWhatTheLargestTopicTakes) {
  EXPECT_EQ(Fitted({}, {1'048'588, 8'000'000}), (Properties{{"message.max.bytes", "8000000"}}));
}

TEST(TopicLimitsTest, ABatchFitsIntoTheSmallestTopic) {
  EXPECT_EQ(Fitted({}, {1'048'588, 20'000}),
            (Properties{{"message.max.bytes", "1048588"}, {"batch.size", "20000"}}));
}

TEST(TopicLimitsTest, WhatTheUserHasSetStays) {
  const Properties of_user = {{"message.max.bytes", "5000"}, {"batch.size", "4000"}};
  EXPECT_EQ(Fitted(of_user, {1'048'588, 2000}), of_user);
}

TEST(TopicLimitsTest, LimitsThatLibrdkafkaWouldRefuseAreBroughtIntoItsRange) {
  for (const std::int64_t limit : {std::int64_t{0}, std::int64_t{2'147'483'647}}) {
    const Status status = CheckKafkaSettings(FitToLimits({"a:9092", {}}, {limit}));
    EXPECT_TRUE(status.ok()) << status.message();
  }
}

TEST(TopicLimitsTest, UnknownLimitsChangeNothing) {
  EXPECT_EQ(Fitted({}, {}), Properties{});
  EXPECT_EQ(MaxMessageBytes({}), std::nullopt);
  EXPECT_EQ(MaxMessageBytes({{"max.message.bytes", "many"}}), std::nullopt);
  EXPECT_EQ(MaxMessageBytes({{"max.message.bytes", "1048588"}}), 1'048'588);
}

}  // namespace
}  // namespace lethe
