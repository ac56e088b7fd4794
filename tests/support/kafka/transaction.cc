#include "tests/support/kafka/transaction.h"

#include <librdkafka/rdkafka.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "connectors/kafka/errors.h"
#include "connectors/kafka/handle.h"
#include "connectors/kafka/produce.h"

namespace lethe {

namespace {

Status Take(rd_kafka_error_t* error, const std::string& what) {
  if (error == nullptr) return Status::Ok();
  Status status = kafka::FromError(rd_kafka_error_code(error), what, rd_kafka_error_string(error));
  rd_kafka_error_destroy(error);
  return status;
}

Result<std::int64_t> EndOf(const KafkaSettings& settings, const std::string& isolation,
                           const std::string& topic, std::int32_t partition, int wait) {
  auto handle = kafka::Handle::OpenConsumer(settings, {}, {{"isolation.level", isolation}}, {});
  if (!handle.ok()) return handle.status();
  std::int64_t first = 0;
  std::int64_t next = 0;
  const int error = rd_kafka_query_watermark_offsets(handle.value()->get(), topic.c_str(),
                                                     partition, &first, &next, wait);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return kafka::FromError(error, "query_watermark");
  return next;
}

// The coordinator answers before it has written how the transaction ended into the partitions.
Status AwaitEnd(const KafkaSettings& settings, const std::vector<OutMessage>& messages, int wait) {
  std::set<std::pair<std::string, std::int32_t>> places;
  for (const OutMessage& message : messages) {
    places.emplace(message.topic, message.partition.value_or(0));
  }
  for (const auto& [topic, partition] : places) {
    for (;;) {
      const auto stable = EndOf(settings, "read_committed", topic, partition, wait);
      if (!stable.ok()) return stable.status();
      const auto all = EndOf(settings, "read_uncommitted", topic, partition, wait);
      if (!all.ok()) return all.status();
      if (stable.value() == all.value()) break;
    }
  }
  return Status::Ok();
}

}  // namespace

Status SendTransaction(const KafkaSettings& settings, const std::vector<OutMessage>& messages,
                       TransactionEnd end, std::chrono::milliseconds timeout) {
  static std::atomic<int> number = 0;
  const std::string id = "test-" + std::to_string(getpid()) + "-" + std::to_string(number++);
  auto opened = kafka::Handle::OpenProducer(settings, {}, {{"transactional.id", id}}, {}, nullptr);
  if (!opened.ok()) return opened.status();
  const std::unique_ptr<kafka::Handle> handle = std::move(opened).value();
  rd_kafka_t* const kafka = handle->get();
  const int wait = static_cast<int>(timeout.count());
  LETHE_RETURN_IF_ERROR(Take(rd_kafka_init_transactions(kafka, wait), "init_transactions"));
  LETHE_RETURN_IF_ERROR(Take(rd_kafka_begin_transaction(kafka), "begin_transaction"));
  for (const OutMessage& message : messages) {
    if (const int error = kafka::Produce(kafka, message, nullptr)) {
      return kafka::FromError(error, "produce");
    }
  }
  // Without it an abort would purge what has not left yet, and there would be nothing to abort.
  if (const auto error = rd_kafka_flush(kafka, wait)) return kafka::FromError(error, "flush");
  LETHE_RETURN_IF_ERROR(end == TransactionEnd::kCommit
                            ? Take(rd_kafka_commit_transaction(kafka, wait), "commit_transaction")
                            : Take(rd_kafka_abort_transaction(kafka, wait), "abort_transaction"));
  return AwaitEnd(settings, messages, wait);
}

}  // namespace lethe
