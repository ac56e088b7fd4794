#include "app/run/router_ports.h"

namespace lethe {
namespace {

constexpr std::chrono::milliseconds kPatience{5'000};  // with a broker

}  // namespace

RouterPorts LivePorts(const Config& config, KafkaCluster& cluster, Publisher& publisher,
                      const std::atomic<bool>& stopping) {
  const std::string topic = config.spec.topic;
  return {
      .range =
          [&cluster, topic](ShardId shard) {
            return cluster.Range(topic, static_cast<std::int32_t>(shard.value), kPatience);
          },
      .ends =
          [&cluster, topic](const std::vector<ShardId>& shards) {
            std::vector<std::int32_t> partitions;
            for (const ShardId shard : shards) {
              partitions.push_back(static_cast<std::int32_t>(shard.value));
            }
            return cluster.Ends(topic, partitions, kPatience);
          },
      .pass_on = [&publisher](ShardId to,
                              const RoutedRequest& target) { return publisher.PassOn(to, target); },
      .is_stopping = [&stopping] { return stopping.load(); }};
}

}  // namespace lethe
