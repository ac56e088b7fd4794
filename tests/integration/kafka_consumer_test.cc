#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "connectors/binary/event_codec.h"
#include "connectors/kafka/consumer.h"
#include "tests/support/kafka/group.h"
#include "tests/support/kafka/transaction.h"
#include "tests/support/kafka_fixture.h"

namespace lethe::kafka_consumer_test {
namespace {

using std::chrono::milliseconds;

class KafkaConsumerTest : public KafkaTest {};

TEST_F(KafkaConsumerTest, AllFormsOfAnEventArriveInOrder) {
  const std::string topic = NewTopic(1);
  Event event;
  event.id = "e-2";
  event.x = {1, 2, 3};
  event.y = -1;
  std::string binary;
  ASSERT_FALSE(BinaryEventCodec().Encode(event, NumberWidth::kFloat32, binary));
  const std::string prefix("\0\0\0\0\x07", 5);
  Send({Learn(topic, 1),
        {topic, 0, "user-2", binary, {}},
        {topic, 0, "user-3", std::nullopt, {}},
        {topic, 0, "user-4", prefix + R"({"type":"delete","id":"e-9","request":"r"})", {}},
        {topic, 0, "user-5", "{broken", {{"h", "1"}}},
        {topic, 0, std::nullopt, "", {}}});
  const auto consumer = Consume(Settings(), topic, {{0, Offset{0}}});
  const auto before = std::chrono::system_clock::now();
  const auto records = Take(*consumer, 0, 6);
  ASSERT_EQ(Offsets(records), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}));
  for (const Record& record : records) {
    EXPECT_EQ(record.shard.value, 0);
    const auto now = std::chrono::duration_cast<milliseconds>(before.time_since_epoch()).count();
    EXPECT_NEAR(static_cast<double>(record.timestamp.value), static_cast<double>(now), 60'000);
  }
  EXPECT_EQ(records[0].event.id, "e-1");
  EXPECT_EQ(records[0].event.subject, "user-1");
  EXPECT_EQ(records[0].event.x, (std::vector<double>{0.5, -0.25}));
  EXPECT_EQ(records[1].event.id, "e-2");
  EXPECT_EQ(records[1].event.x, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(records[1].event.subject, "user-2");
  EXPECT_EQ(records[2].event.kind, EventKind::kDelete);
  EXPECT_EQ(records[2].event.subject, "user-3");
  EXPECT_EQ(records[3].event.kind, EventKind::kDelete);
  EXPECT_EQ(records[3].event.id, "e-9");
  for (int i : {0, 1, 2, 3}) EXPECT_FALSE(records[i].rejection) << i;
  ASSERT_TRUE(records[4].rejection && records[5].rejection);
  EXPECT_EQ(records[4].rejection->reason, Reason::kMalformed);
}

TEST_F(KafkaConsumerTest, BatchesKeepTheRawBytes) {
  const std::string topic = NewTopic(1);
  Send({{topic, 0, "user-1", "{broken", {}},
        {topic, 0, "user-2", std::nullopt, {}},
        {topic, 0, std::nullopt, "", {}},
        {topic, 0, "", "x", {}}});
  const auto consumer = Consume(Settings(), topic, {{0, Offset{0}}});
  std::vector<std::optional<std::string>> seen;
  while (seen.size() < 8) {
    const auto batch = NextBatch(*consumer, 0, kPatience).value();
    ASSERT_NE(batch, nullptr);
    for (std::size_t i = 0; i < batch->messages.size(); ++i) {
      seen.emplace_back(batch->messages.key(i));
      seen.emplace_back(batch->messages.value(i));
    }
  }
  using Expected = std::vector<std::optional<std::string>>;
  EXPECT_EQ(seen,
            (Expected{"user-1", "{broken", "user-2", std::nullopt, std::nullopt, "", "", "x"}));
}

TEST_F(KafkaConsumerTest, AbortedRecordsAreNotSeenAndLeaveGaps) {
  const std::string topic = NewTopic(1);
  const auto send = [&](std::vector<int> numbers, TransactionEnd end) {
    std::vector<OutMessage> messages;
    for (int number : numbers) messages.push_back(Learn(topic, number));
    const Status status = SendTransaction(Settings(), messages, end, kPatience);
    ASSERT_TRUE(status.ok()) << status.message();
  };
  send({1, 2}, TransactionEnd::kCommit);    // 0 1, and the marker at 2
  send({3, 4, 5}, TransactionEnd::kAbort);  // 3 4 5, and the marker at 6
  send({6}, TransactionEnd::kCommit);       // 7, and the marker at 8
  Send({Learn(topic, 7)});                  // 9
  send({8}, TransactionEnd::kAbort);        // 10, and the marker at 11
  const auto consumer = Consume(Settings(), topic, {{0, Offset{0}}});
  EXPECT_EQ(Offsets(Take(*consumer, 0, 4)), (std::vector<std::int64_t>{0, 1, 7, 9}));
  // Neither aborted records nor markers are a lag for a consumer that goes on reading.
  for (int i = 0; i < 300 && consumer->Lag(0) != 0; ++i) {
    EXPECT_EQ(NextBatch(*consumer, 0, milliseconds(100)).value(), nullptr);
  }
  EXPECT_EQ(consumer->Lag(0), 0);
  // A start in a gap is a start at what follows.
  for (const auto& [start, first] : {std::pair{2, 7}, {4, 7}, {8, 9}}) {
    const auto from_gap = Consume(Settings(), topic, {{0, Offset{start}}});
    const auto records = Take(*from_gap, 0, 1);
    ASSERT_FALSE(records.empty());
    EXPECT_EQ(records[0].offset.value, first) << start;
  }
}

TEST_F(KafkaConsumerTest, PartitionsAreReadSideBySideEachInOrder) {
  const std::string topic = NewTopic(4);
  constexpr int kCount = 2000;
  std::vector<OutMessage> messages;
  for (int i = 0; i < kCount; ++i) messages.push_back(Learn(topic, i, i % 4));
  Send(messages);
  const auto consumer =
      Consume(Settings(), topic, {{0, Offset{0}}, {2, Offset{100}}, {3, Offset{499}}});
  for (const auto& [partition, start] : {std::pair{0, 0}, {2, 100}, {3, 499}}) {
    const auto records = Take(*consumer, partition, static_cast<std::size_t>(500 - start));
    ASSERT_EQ(records.size(), static_cast<std::size_t>(500 - start));
    for (std::size_t i = 0; i < records.size(); ++i) {
      const auto offset = static_cast<std::int64_t>(i) + start;
      ASSERT_EQ(records[i].offset.value, offset);
      ASSERT_EQ(records[i].shard.value, partition);
      ASSERT_EQ(records[i].event.id, "e-" + std::to_string(offset * 4 + partition));
    }
  }
}

TEST_F(KafkaConsumerTest, OffsetOutsideOfTheLogIsAnErrorAndNeverAReset) {
  const std::string topic = NewTopic(1);
  std::vector<OutMessage> messages;
  for (int i = 0; i < 20; ++i) messages.push_back(Learn(topic, i));
  Send(messages);
  ASSERT_TRUE(DeleteRecordsBefore(Settings(), topic, 0, Offset{10}, kPatience).ok());
  for (const std::int64_t start : {0, 9, 21, 1'000'000}) {
    const auto consumer = Consume(Settings(), topic, {{0, Offset{start}}});
    const Status status = TakeError(*consumer, 0);
    EXPECT_EQ(status.code(), ErrorCode::kInput);
    EXPECT_NE(status.message().find("offset " + std::to_string(start)), std::string::npos)
        << status.message();
    // It stays.
    EXPECT_FALSE(NextBatch(*consumer, 0, milliseconds(1500)).ok());
  }
  const auto consumer = Consume(Settings(), topic, {{0, Offset{10}}});
  EXPECT_EQ(Take(*consumer, 0, 10).size(), 10u);
}

TEST_F(KafkaConsumerTest, TopicThatDoesNotExistIsAnError) {
  const std::string topic = UniqueTopic();
  const auto consumer = Consume(Settings(), topic, {{0, Offset{0}}});
  const Status status = TakeError(*consumer, 0);
  EXPECT_EQ(status.code(), ErrorCode::kInput);
  EXPECT_NE(status.message().find(topic), std::string::npos) << status.message();
}

TEST_F(KafkaConsumerTest, TopicThatIsDeletedMeanwhileIsAnError) {
  const std::string topic = NewTopic(2);
  Send({Learn(topic, 1, 1)});
  const auto consumer = Consume(Settings(), topic, {{1, Offset{0}}});
  EXPECT_EQ(Take(*consumer, 1, 1).size(), 1u);
  ASSERT_TRUE(DeleteTopic(Settings(), topic, kPatience).ok());
  const Status status = TakeError(*consumer, 1);
  EXPECT_EQ(status.code(), ErrorCode::kInput);
  EXPECT_NE(status.message().find("does not exist"), std::string::npos) << status.message();
}

TEST_F(KafkaConsumerTest, ValueAboveTheLimitIsARejectionOfThatRecordOnly) {
  const std::string topic = NewTopic(1, {{"max.message.bytes", "8000000"}});
  std::string large = R"({"type":"delete","id":"e-1","why":")";
  large.append(std::size_t{3} << 20, 'x');
  large += "\"}";
  Send({Learn(topic, 0), {topic, 0, "user-1", large, {}}, Learn(topic, 2)},
       With("message.max.bytes", "8000000"));
  const auto consumer = Consume(Settings(), topic, {{0, Offset{0}}});
  const auto records = Take(*consumer, 0, 3);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_FALSE(records[0].rejection);
  ASSERT_TRUE(records[1].rejection);
  EXPECT_EQ(records[1].rejection->reason, Reason::kTooLarge);
  EXPECT_TRUE(records[1].rejection->is_request);
  EXPECT_FALSE(records[2].rejection);
}

// With so small a prefetch queue librdkafka sleeps for a second after every fetch, unless it is
// asked something: a minute or two instead of some seconds.
TEST_F(KafkaConsumerTest, SlowTakerLosesNothingAndFullQueuesDoNotStall) {
  const std::string topic = NewTopic(1);
  constexpr std::size_t kCount = 100'000;
  {
    // A fetch brings at least a batch of the producer.
    auto producer = KafkaProducer::Start(With("batch.num.messages", "500"), {}).value();
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_TRUE(producer->Send(Learn(topic, static_cast<int>(i)), {}, kPatience).ok());
    }
    ASSERT_TRUE(producer->Flush(kPatience).ok());
  }
  KafkaSettings settings = With("queued.min.messages", "1000");
  settings.properties["max.partition.fetch.bytes"] = "100000";
  const auto consumer = Consume(settings, topic, {{0, Offset{0}}});
  // Nothing is taken, so everything fills up.
  while (consumer->Queued(0) < 200) std::this_thread::sleep_for(milliseconds(10));
  std::this_thread::sleep_for(milliseconds(2500));
  EXPECT_TRUE(consumer->HasMore(0));
  EXPECT_LE(consumer->Queued(0), 20'000);
  EXPECT_EQ(consumer->Lag(0), static_cast<std::int64_t>(kCount));
  const auto began = std::chrono::steady_clock::now();
  const auto records = Take(*consumer, 0, kCount);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began;
  RecordProperty("seconds", std::to_string(seconds.count()));
  ASSERT_EQ(records.size(), kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    ASSERT_EQ(records[i].offset.value, static_cast<std::int64_t>(i));
    ASSERT_EQ(records[i].event.id, "e-" + std::to_string(i));
  }
  EXPECT_LT(seconds.count(), 15);
}

TEST_F(KafkaConsumerTest, SingleRecordsAreHandedOverAtOnce) {
  const std::string topic = NewTopic(1);
  const auto consumer = Consume(Settings(), topic, {{0, Offset{0}}});
  auto producer = KafkaProducer::Start(With("linger.ms", "0"), {}).value();
  std::vector<double> waits;
  for (int i = 0; i < 30; ++i) {
    ASSERT_TRUE(producer->Send(Learn(topic, i), {}, kPatience).ok());
    const auto sent = std::chrono::steady_clock::now();
    const auto batch = NextBatch(*consumer, 0, kPatience).value();
    ASSERT_NE(batch, nullptr);
    ASSERT_EQ(batch->messages.size(), 1u);
    waits.push_back(
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - sent).count());
  }
  std::sort(waits.begin(), waits.end());
  RecordProperty("median_ms", std::to_string(waits[waits.size() / 2]));
  EXPECT_LT(waits[waits.size() / 2], 50);
}

TEST_F(KafkaConsumerTest, WakeAndStopReleaseTheTaker) {
  const std::string topic = NewTopic(1);
  Send({Learn(topic, 1)});
  const auto consumer = Consume(Settings(), topic, {{0, Offset{0}}});
  EXPECT_EQ(Take(*consumer, 0, 1).size(), 1u);
  const auto began = std::chrono::steady_clock::now();
  std::thread waker([&] {
    std::this_thread::sleep_for(milliseconds(100));
    consumer->Wake();
  });
  EXPECT_EQ(NextBatch(*consumer, 0, kPatience).value(), nullptr);
  waker.join();
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(100));
    consumer->Stop();
  });
  EXPECT_EQ(NextBatch(*consumer, 0, kPatience).value(), nullptr);
  stopper.join();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
}

TEST_F(KafkaConsumerTest, ProgressIsReportedOnlyToAGroupThatTheUserNamed) {
  const std::string topic = NewTopic(1);
  Send({Learn(topic, 0), Learn(topic, 1), Learn(topic, 2)});
  const std::string group = "group-of-" + topic;
  const auto nameless = Consume(Settings(), topic, {{0, Offset{0}}});
  nameless->ReportProgress(0, Offset{3});
  const auto consumer = Consume(With("group.id", group), topic, {{0, Offset{0}}});
  EXPECT_EQ(Take(*consumer, 0, 3).size(), 3u);
  Result<std::optional<Offset>> committed = std::optional<Offset>();
  // The first group of a new broker has no coordinator for a moment, and a report may be lost.
  for (int i = 0; i < 100; ++i) {
    consumer->ReportProgress(0, Offset{2});
    committed = CommittedOffset(Settings(), group, topic, 0, kPatience);
    if (committed.ok() && committed.value()) break;
    std::this_thread::sleep_for(milliseconds(100));
  }
  ASSERT_TRUE(committed.ok()) << committed.status().message();
  EXPECT_EQ(committed.value(), Offset{2});
}

}  // namespace
}  // namespace lethe::kafka_consumer_test
