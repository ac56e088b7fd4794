// What a message begins with is enough to tell that Lethe has not placed it.

#include <string>

#include <gtest/gtest.h>

#include "connectors/kafka/record_batch.h"

namespace lethe {
namespace {

std::string Binary(EventKind kind) {
  Event event;
  event.kind = kind;
  event.id = "a";
  if (kind != EventKind::kDelete) {
    event.x = {0.5};
    event.y = 1;
  }
  std::string message;
  EXPECT_FALSE(BinaryEventCodec().Encode(event, NumberWidth::kFloat32, message));
  return message;
}

TEST(RecordBatchTest, LearnsAreKnownByTheirBeginning) {
  EXPECT_TRUE(RecordBatch::BeginsAsLearn(R"({"type":"learn","id":"a","x":[1],"y":1})"));
  EXPECT_TRUE(RecordBatch::BeginsAsLearn(Binary(EventKind::kLearn)));
}

TEST(RecordBatchTest, EverythingElseIsLookedAt) {
  for (const std::string& value :
       {std::string(), std::string("{"), std::string(R"({"type":"delete","id":"a"})"),
        std::string(R"({"id":"a","type":"learn","x":[1],"y":1})"),
        std::string(R"({ "type":"delete"})"), Binary(EventKind::kDelete),
        Binary(EventKind::kUpdate), Binary(EventKind::kLearn).substr(0, 2)}) {
    EXPECT_FALSE(RecordBatch::BeginsAsLearn(value)) << value;
  }
}

}  // namespace
}  // namespace lethe
