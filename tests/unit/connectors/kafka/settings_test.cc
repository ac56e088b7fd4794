#include "connectors/kafka/settings.h"

#include <gtest/gtest.h>

namespace lethe::settings_test {
namespace {

TEST(KafkaSettingsTest, KnownPropertiesAreTaken) {
  const KafkaSettings settings{"a:9092,b:9092",
                               {{"security.protocol", "SASL_SSL"},
                                {"sasl.mechanism", "SCRAM-SHA-512"},
                                {"sasl.username", "u"},
                                {"sasl.password", "p"},
                                {"group.id", "g"},
                                {"partitioner", "murmur2"},
                                {"fetch.wait.max.ms", "100"}}};
  const Status status = CheckKafkaSettings(settings);
  EXPECT_TRUE(status.ok()) << status.message();
}

TEST(KafkaSettingsTest, EveryErrorIsNamedAndNoValueIsShown) {
  const KafkaSettings settings{"a:9092",
                               {{"no.such.thing", "s3cret"},
                                {"security.protocol", "s3cret"},
                                {"queued.min.messages", "0"},
                                {"fetch.wait.max.ms", "s3cret"}}};
  const Status status = CheckKafkaSettings(settings);
  EXPECT_EQ(status.code(), ErrorCode::kConfig);
  for (const char* part : {"no.such.thing", "security.protocol", "queued.min.messages",
                           "fetch.wait.max.ms", "outside allowed range"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  }
  EXPECT_EQ(status.message().find("s3cret"), std::string::npos) << status.message();
}

TEST(KafkaSettingsTest, BrokersAreNeeded) {
  EXPECT_EQ(CheckKafkaSettings({}).code(), ErrorCode::kConfig);
}

}  // namespace
}  // namespace lethe::settings_test
