// A batch takes messages of every form, and says of each what the shard takes.

#include "connectors/message_batch.h"

#include <string>

#include <gtest/gtest.h>

#include "connectors/system/sodium_hash.h"

namespace lethe::message_batch_test {
namespace {

constexpr char kLearn[] = R"({"type":"learn","id":"e-1","x":[0.5,0.25],"y":1})";

std::string Binary(EventKind kind) {
  Event event;
  event.kind = kind;
  event.id = "a";
  if (kind != EventKind::kDelete) {
    event.x = {0.5, 0};
    event.y = 1;
  }
  std::string message;
  EXPECT_FALSE(BinaryEventCodec().Encode(event, NumberWidth::kFloat32, message));
  return message;
}

class MessageBatchTest : public ::testing::Test {
 protected:
  MessageBatchTest() {
    ModelSpec model;
    model.dimension = 2;
    admission_.emplace(model, Pseudonymizer(hasher_, ShardIdentity()), "events", ShardId{0});
    batch_.Clear(8);
  }
  void KnowShard() { batch_.admissions().emplace(ShardId{0}, *admission_); }
  void Add(std::optional<std::string_view> key, std::optional<std::string_view> value,
           bool is_rerouted = false) {
    batch_.AddMessage({0}, {.offset = {offset_++}, .timestamp = {9}}, is_rerouted, key, value);
  }
  void AddLine(std::string_view line) {
    batch_.AddRecorded(MessageBatch::Form::kLine, line, offset_++, {}, {kNoOffset});
  }
  template <typename T>
  const T& Get(std::size_t i) {
    return *std::get<const T*>(batch_.item(i));
  }

  SodiumHasher hasher_;
  std::optional<Admission> admission_;
  MessageBatch batch_;
  std::int64_t offset_ = 7;
};

TEST_F(MessageBatchTest, LearnsAreKnownByTheirBeginning) {
  EXPECT_TRUE(MessageBatch::BeginsAsLearn(R"({"type":"learn","id":"a","x":[1],"y":1})"));
  EXPECT_TRUE(MessageBatch::BeginsAsLearn(Binary(EventKind::kLearn)));
  for (const std::string& value :
       {std::string(), std::string("{"), std::string(R"({"type":"delete","id":"a"})"),
        std::string(R"({"id":"a","type":"learn","x":[1],"y":1})"),
        std::string(R"({ "type":"delete"})"), Binary(EventKind::kDelete),
        Binary(EventKind::kUpdate), Binary(EventKind::kLearn).substr(0, 2)}) {
    EXPECT_FALSE(MessageBatch::BeginsAsLearn(value)) << value;
  }
}

TEST_F(MessageBatchTest, ADenseLearnIsAdmittedWhileItIsAddedAndItsBytesAreNotKept) {
  KnowShard();
  Add("key", kLearn);
  Add("key", Binary(EventKind::kLearn));
  EXPECT_TRUE(batch_.has_item(0) && batch_.has_item(1));
  EXPECT_FALSE(batch_.value(0) || batch_.value(1));
  EXPECT_EQ(batch_.key(0), "key");
  EXPECT_EQ(Get<AdmittedLearn>(0).example.x[1], 0.25);
  EXPECT_EQ(batch_.position(1).offset, Offset{8});
}

TEST_F(MessageBatchTest, EveryOtherMessageIsCopiedAndSaysWhatItIs) {
  KnowShard();
  Add("ann", R"({"type":"delete"})", true);
  Add("ann", R"({"type":"delete","id":"e-1","request":"r"})");
  Add("ann", R"({"type":"update","id":"e-1","x":[0.5,0.1],"y":-1})");
  Add("ann", R"({"type":"learn","x":[0.5,0.1],"y":-1})");
  Add("ann", "{broken");
  Add("ann", R"({"type":"learn","id":"e-2","x":[5,0],"y":1})");
  batch_.Admit();
  EXPECT_EQ(Get<Request>(0).subject, "ann");
  EXPECT_TRUE(Get<Request>(0).is_rerouted);
  EXPECT_EQ(Get<Request>(1).id, "e-1");
  EXPECT_EQ(Get<Request>(1).reference, "r");
  EXPECT_FALSE(Get<Request>(1).is_rerouted);
  EXPECT_TRUE(Get<AdmittedUpdate>(2).replaced.is_replacement);
  EXPECT_EQ(Get<AdmittedUpdate>(2).learn.example.y, -1);
  EXPECT_EQ(Get<AdmittedLearn>(3).example.x[0], 0.5);
  EXPECT_EQ(Get<Rejection>(4).reason, Reason::kMalformed);
  EXPECT_TRUE(batch_.is_undecodable(4));
  EXPECT_EQ(Get<Rejection>(5).reason, Reason::kOversized);
  EXPECT_FALSE(batch_.is_undecodable(5));
  EXPECT_EQ(batch_.value(4), "{broken");
}

TEST_F(MessageBatchTest, AShardThatIsNotKnownYetAdmitsLater) {
  AddLine(kLearn);
  AddLine(R"({"type":"delete","id":"e-1"})");
  batch_.Admit();
  EXPECT_FALSE(batch_.has_item(0) || batch_.has_item(1));
  for (std::size_t i = 0; i < 2; ++i) batch_.AdmitNow(i, *admission_);
  EXPECT_EQ(Get<AdmittedLearn>(0).example.x[1], 0.25);
  EXPECT_EQ(Get<Request>(1).id, "e-1");
}

// An event without an id is named after its offset, which a line of a recording may not say.
TEST_F(MessageBatchTest, AnEventWithoutAnIdWaitsForItsOffset) {
  KnowShard();
  AddLine(R"({"type":"learn","x":[0.5,0.1],"y":1})");
  batch_.Admit();
  ASSERT_FALSE(batch_.has_item(0));
  batch_.SetOffset(0, {3});
  batch_.AdmitNow(0, *admission_);
  const KeyHash at_three = Get<AdmittedLearn>(0).id;
  batch_.Clear(8);
  batch_.AddMessage({0}, {.offset = {3}}, false, std::nullopt,
                    R"({"type":"learn","x":[0.5,0.1],"y":1})");
  batch_.Admit();
  EXPECT_EQ(Get<AdmittedLearn>(0).id, at_three);
}

TEST_F(MessageBatchTest, ABatchThatIsReusedRemembersNothing) {
  KnowShard();
  Add("ann", R"({"type":"delete","id":"e-1","request":"r"})");
  batch_.Admit();
  batch_.Clear(8);
  EXPECT_EQ(batch_.size(), 0u);
  Add("bob", R"({"type":"delete"})");
  batch_.Admit();
  EXPECT_EQ(Get<Request>(0).subject, "bob");
  EXPECT_FALSE(Get<Request>(0).id || Get<Request>(0).reference);
}

TEST_F(MessageBatchTest, TheRejectionOfALineNamesTheLine) {
  KnowShard();
  AddLine("{broken");
  batch_.Admit();
  EXPECT_TRUE(Get<Rejection>(0).message.starts_with("line 7: ")) << Get<Rejection>(0).message;
}

}  // namespace
}  // namespace lethe::message_batch_test
