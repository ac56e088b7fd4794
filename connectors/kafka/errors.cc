#include "connectors/kafka/errors.h"

#include <librdkafka/rdkafka.h>

namespace lethe::kafka {

bool IsMissingTopic(int error) {
  return error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
         error == RD_KAFKA_RESP_ERR__UNKNOWN_TOPIC ||
         error == RD_KAFKA_RESP_ERR__UNKNOWN_PARTITION ||
         error == RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION;
}

bool IsDenied(int error) {
  return error == RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED ||
         error == RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED ||
         error == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED ||
         error == RD_KAFKA_RESP_ERR_TRANSACTIONAL_ID_AUTHORIZATION_FAILED;
}

Status FromError(int error, const std::string& what, const std::string& detail) {
  ErrorCode code = ErrorCode::kUnavailable;
  std::string advice;
  if (IsMissingTopic(error)) {
    code = ErrorCode::kConfig;
    advice = "; create it, or correct its name";
  } else if (IsDenied(error)) {
    code = ErrorCode::kConfig;
    advice = "; the access rules of the cluster must allow it";
  } else if (error == RD_KAFKA_RESP_ERR_INVALID_TIMESTAMP) {
    advice =
        "; the clock of this machine is ahead of the broker's by more than the topic allows "
        "(message.timestamp.after.max.ms, an hour). Set the clock";
  } else if (error == RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE ||
             error == RD_KAFKA_RESP_ERR_RECORD_LIST_TOO_LARGE ||
             error == RD_KAFKA_RESP_ERR_INVALID_RECORD || error == RD_KAFKA_RESP_ERR_INVALID_MSG) {
    code = ErrorCode::kInput;
  } else if (error == RD_KAFKA_RESP_ERR__INVALID_ARG || error == RD_KAFKA_RESP_ERR_INVALID_CONFIG ||
             error == RD_KAFKA_RESP_ERR_INVALID_PARTITIONS ||
             error == RD_KAFKA_RESP_ERR_TOPIC_ALREADY_EXISTS) {
    code = ErrorCode::kConfig;
  }
  const std::string text =
      detail.empty() ? rd_kafka_err2str(static_cast<rd_kafka_resp_err_t>(error)) : detail;
  return {code, "Kafka: " + what + ": " + text + advice};
}

}  // namespace lethe::kafka
