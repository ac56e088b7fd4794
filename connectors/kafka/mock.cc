#include "connectors/kafka/mock.h"

#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>

#include <array>

#include "connectors/kafka/conf.h"
#include "connectors/kafka/errors.h"

namespace lethe {

struct KafkaMock::Impl {
  rd_kafka_t* kafka = nullptr;  // provides the cluster's threads; connects to nothing
  rd_kafka_mock_cluster_t* cluster = nullptr;

  ~Impl() {
    if (cluster != nullptr) rd_kafka_mock_cluster_destroy(cluster);
    if (kafka != nullptr) rd_kafka_destroy(kafka);
  }
};

KafkaMock::KafkaMock(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
KafkaMock::~KafkaMock() = default;

Result<std::unique_ptr<KafkaMock>> KafkaMock::Start() {
  auto impl = std::make_unique<Impl>();
  kafka::Conf conf(rd_kafka_conf_new());
  std::array<char, 512> errstr{};
  // Nothing is logged, because the only line would be that this instance has no brokers.
  rd_kafka_conf_set_log_cb(conf.get(), nullptr);
  impl->kafka = rd_kafka_new(RD_KAFKA_PRODUCER, conf.get(), errstr.data(), errstr.size());
  if (impl->kafka == nullptr) {
    return Status(ErrorCode::kInternal, "Kafka: " + std::string(errstr.data()));
  }
  static_cast<void>(conf.release());
  impl->cluster = rd_kafka_mock_cluster_new(impl->kafka, 1);
  if (impl->cluster == nullptr) {
    return Status(ErrorCode::kUnavailable,
                  "the broker of the demonstration cannot listen on a port of 127.0.0.1");
  }
  return std::unique_ptr<KafkaMock>(new KafkaMock(std::move(impl)));
}

Status KafkaMock::CreateTopic(const std::string& topic, std::int32_t partitions) {
  const int error = rd_kafka_mock_topic_create(impl_->cluster, topic.c_str(), partitions, 1);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR) return Status::Ok();
  return kafka::FromError(error, "making topic \"" + topic + "\"");
}

std::string KafkaMock::brokers() const { return rd_kafka_mock_cluster_bootstraps(impl_->cluster); }

}  // namespace lethe
