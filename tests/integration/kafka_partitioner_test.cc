// Our arithmetic against librdkafka's own producer: the same key, the same partition.

#include <map>
#include <string>
#include <vector>

#include "connectors/kafka/cluster.h"
#include "connectors/kafka/partitioner.h"
#include "tests/support/kafka_fixture.h"

namespace lethe::kafka_partitioner_test {
namespace {

class KafkaPartitionerTest : public KafkaTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(KafkaPartitionerTest, EveryKeyIsWhereLibrdkafkaPutsIt) {
  constexpr std::int32_t kPartitions = 7;
  const std::string topic = NewTopic(kPartitions);
  std::vector<OutMessage> messages;
  // Keys of every length up to 200, with bytes of every value.
  for (int i = 0; i < 200; ++i) {
    std::string key;
    for (int k = 0; k < i; ++k) key.push_back(static_cast<char>(i * 37 + k * 101));
    messages.push_back({topic, std::nullopt, key, "v", {}});
    messages.push_back({topic, std::nullopt, "user-" + std::to_string(i), "v", {}});
  }
  Send(messages, With("partitioner", GetParam()));
  const auto partitioner = Partitioner::FromName(GetParam());
  ASSERT_TRUE(partitioner.has_value());
  const auto cluster = KafkaCluster::Open(Settings(), {}).value();
  std::size_t seen = 0;
  std::size_t free = 0;
  for (std::int32_t partition = 0; partition < kPartitions; ++partition) {
    const auto range = cluster->Range(topic, partition, kPatience).value();
    const Status status =
        cluster->ForEach(topic, partition, range, kPatience, [&](const FoundMessage& message) {
          const auto expected = partitioner->Of(message.key, kPartitions);
          EXPECT_EQ(expected.value_or(partition), partition) << message.key->size();
          free += expected ? 0 : 1;
          ++seen;
          return true;
        });
    EXPECT_TRUE(status.ok()) << status.message();
  }
  EXPECT_EQ(seen, messages.size());
  EXPECT_EQ(free, std::string(GetParam()) == "consistent_random" ? 1u : 0u);
  EXPECT_FALSE(partitioner->Of(std::nullopt, kPartitions).has_value());
}

INSTANTIATE_TEST_SUITE_P(All, KafkaPartitionerTest,
                         ::testing::Values("murmur2", "murmur2_random", "consistent",
                                           "consistent_random", "fnv1a", "fnv1a_random"),
                         [](const auto& info) { return std::string(info.param); });

TEST(PartitionerTest, OtherNamesAreNone) {
  EXPECT_FALSE(Partitioner::FromName("random").has_value());
  EXPECT_FALSE(Partitioner::FromName("").has_value());
}

}  // namespace
}  // namespace lethe::kafka_partitioner_test
