#include "app/topics/limits.h"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/system/sodium_hash.h"
#include "engine/shard/model_json.h"

namespace lethe::limits_test {
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

// The longest text that a double can have.
constexpr double kWidest = -2.2250738585072014e-308;

std::string WidestModel(const ModelSpec& model) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::min();
  PipelineInfo info;
  info.loss = "logistic";
  info.bias = model.bias;
  info.hash_bits = model.hash_bits;
  info.config_sha256 = std::string(64, 'f');
  const std::int64_t features =
      model.hash_bits ? std::int64_t{1} << *model.hash_bits : model.dimension;
  info.classes = model.classes;
  info.class_names = model.class_names;
  if (model.classes > 0) info.loss = "softmax";
  const Vector weights = Vector::Constant(
      (features + (model.bias ? 1 : 0)) * std::max<std::int64_t>(1, model.classes), kWidest);
  const std::vector<ShardModel> shards = {
      {{kMost}, std::string(36, 'a'), {kMost}, {kMost}, kMost, &weights}};
  return ModelJson(info, shards, SodiumHasher());
}

TEST(TopicLimitsTest, NoSoftmaxModelHasMoreBytesThanItsConfigurationSays) {
  constexpr std::int64_t kRecord = 256;
  for (const bool bias : {false, true}) {
    for (const std::int64_t classes : {2, 100, 4096}) {
      for (const std::size_t name : {0, 1, 60}) {
        Spec spec;
        spec.model.loss = LossKind::kSoftmax;
        spec.model.dimension = classes == 100 ? 300 : 1;
        spec.model.bias = bias;
        spec.model.classes = classes;
        if (name > 0) {
          const std::string widest(name, '\x01');  // written as \u0001
          spec.model.class_names.assign(static_cast<std::size_t>(classes), widest);
        }
        EXPECT_LE(std::ssize(WidestModel(spec.model)) + kRecord, MostModelBytes(spec));
      }
    }
  }
}

TEST(TopicLimitsTest, NoModelHasMoreBytesThanItsConfigurationSays) {
  constexpr std::int64_t kRecord = 256;  // what Kafka adds, the key and the headers
  for (const bool bias : {false, true}) {
    for (const std::int64_t dimension : {1, 300}) {
      Spec spec;
      spec.model.dimension = dimension;
      spec.model.bias = bias;
      EXPECT_LE(std::ssize(WidestModel(spec.model)) + kRecord, MostModelBytes(spec));
    }
    Spec spec;
    spec.model.hash_bits = 12;
    spec.model.bias = bias;
    const auto size = std::ssize(WidestModel(spec.model));
    EXPECT_LE(size + kRecord, MostModelBytes(spec));
    EXPECT_GE(size + 2048, MostModelBytes(spec));  // and not much more is asked for
  }
}

TEST(TopicLimitsTest, WhatCanBeSentIsTheLeastOfTheLimits) {
  EXPECT_EQ(MostSentBytes({"a:9092", {}}, std::nullopt), 1'000'000);
  EXPECT_EQ(MostSentBytes({"a:9092", {}}, 2000), 2000);
  EXPECT_EQ(MostSentBytes({"a:9092", {{"message.max.bytes", "5000"}}}, 8000), 5000);
  EXPECT_EQ(MostSentBytes({"a:9092", {{"message.max.bytes", "5000000"}}}, std::nullopt), 5'000'000);
}

}  // namespace
}  // namespace lethe::limits_test
