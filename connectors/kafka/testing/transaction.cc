#include "connectors/kafka/testing/transaction.h"

#include <librdkafka/rdkafka.h>
#include <unistd.h>

#include <atomic>
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
  return end == TransactionEnd::kCommit
             ? Take(rd_kafka_commit_transaction(kafka, wait), "commit_transaction")
             : Take(rd_kafka_abort_transaction(kafka, wait), "abort_transaction");
}

}  // namespace lethe
