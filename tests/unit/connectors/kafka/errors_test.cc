#include "connectors/kafka/errors.h"

#include <gtest/gtest.h>

namespace lethe::kafka::errors_test {
namespace {

TEST(KafkaErrorsTest, ARefusedTimestampIsBlamedOnTheClock) {
  constexpr int kInvalidTimestamp = 32;  // of the Kafka protocol
  const Status status = FromError(kInvalidTimestamp, "a message to topic \"r\" was not sent");
  // Tried again after a while, when the clock may have been set.
  EXPECT_EQ(status.code(), ErrorCode::kUnavailable);
  EXPECT_NE(status.message().find("the clock of this machine is ahead"), std::string::npos)
      << status.message();
}

}  // namespace
}  // namespace lethe::kafka::errors_test
