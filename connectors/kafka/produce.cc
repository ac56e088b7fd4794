#include "connectors/kafka/produce.h"

#include <librdkafka/rdkafka.h>

namespace lethe::kafka {

namespace {

// librdkafka does not write to the bytes; its interface only lacks the const.
char* Data(const std::optional<std::string>& bytes) {
  return bytes ? const_cast<char*>(bytes->data()) : nullptr;
}

std::size_t Size(const std::optional<std::string>& bytes) { return bytes ? bytes->size() : 0; }

rd_kafka_headers_t* MakeHeaders(const OutMessage& message) {
  if (message.headers.empty()) return nullptr;
  rd_kafka_headers_t* const headers = rd_kafka_headers_new(message.headers.size());
  for (const auto& [name, value] : message.headers) {
    rd_kafka_header_add(headers, name.data(), static_cast<ssize_t>(name.size()), value.data(),
                        static_cast<ssize_t>(value.size()));
  }
  return headers;
}

}  // namespace

int Produce(rd_kafka_s* kafka, const OutMessage& message, void* opaque) {
  rd_kafka_headers_t* const headers = MakeHeaders(message);
  char* const key = Data(message.key);
  char* const value = Data(message.value);
  const auto error = rd_kafka_producev(
      kafka, RD_KAFKA_V_TOPIC(message.topic.c_str()),
      RD_KAFKA_V_PARTITION(message.partition.value_or(RD_KAFKA_PARTITION_UA)),
      RD_KAFKA_V_KEY(key, Size(message.key)), RD_KAFKA_V_VALUE(value, Size(message.value)),
      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_HEADERS(headers),
      RD_KAFKA_V_TIMESTAMP(message.timestamp_ms), RD_KAFKA_V_OPAQUE(opaque), RD_KAFKA_V_END);
  // librdkafka owns the headers only if it has accepted the message.
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR && headers != nullptr) rd_kafka_headers_destroy(headers);
  return error;
}

}  // namespace lethe::kafka
