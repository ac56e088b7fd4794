#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "connectors/kafka/batch_ring.h"

namespace lethe::kafka {
namespace {

using std::chrono::milliseconds;

// With the one that is being filled and the one that was taken.
constexpr int kAll = static_cast<int>(BatchRing::kBatches) + 2;
constexpr milliseconds kLong{20'000};

// Puts one record with this offset into the ring.
bool Put(BatchRing& ring, std::int64_t offset) {
  RecordBatch* batch = ring.TakeFree();
  if (batch == nullptr) return false;
  batch->Slot().offset = Offset{offset};
  batch->Add(std::to_string(offset), std::nullopt, 10, true);
  ring.Push(batch);
  return true;
}

TEST(KafkaBatchRingTest, BatchesComeInOrderAndTheFillerWaitsForTheTaker) {
  BatchRing ring;
  constexpr std::int64_t kCount = 5000;
  std::thread filler([&] {
    for (std::int64_t i = 0; i < kCount; ++i) EXPECT_TRUE(Put(ring, i));
  });
  for (std::int64_t i = 0; i < kCount; ++i) {
    RecordBatch* batch = ring.Pop(kLong).value();
    ASSERT_NE(batch, nullptr);
    EXPECT_LE(ring.records(), kAll);
    EXPECT_EQ(batch->count, 1u);
    EXPECT_EQ(batch->records[0].offset.value, i);
    EXPECT_EQ(batch->key(0), std::to_string(i));
    ring.Recycle(batch);
  }
  filler.join();
  EXPECT_EQ(ring.records(), 0);
  EXPECT_EQ(ring.Pop(milliseconds(1)).value(), nullptr);
}

TEST(KafkaBatchRingTest, ErrorComesAfterTheBatchesBeforeItAndStays) {
  BatchRing ring;
  ASSERT_TRUE(Put(ring, 1));
  ring.Fail({ErrorCode::kInput, "first"});
  ring.Fail({ErrorCode::kInput, "second"});
  EXPECT_NE(ring.Pop(kLong).value(), nullptr);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(ring.Pop(kLong).status().message(), "first");
}

TEST(KafkaBatchRingTest, StopReleasesBothSidesAndLeavesWhatIsThere) {
  BatchRing ring;
  std::thread filler([&] {
    std::int64_t i = 0;
    while (Put(ring, i)) ++i;
    EXPECT_EQ(i, kAll);
  });
  while (ring.records() < kAll) std::this_thread::yield();
  ring.Stop();
  filler.join();
  for (int i = 0; i < kAll; ++i) EXPECT_NE(ring.Pop(kLong).value(), nullptr);
  EXPECT_EQ(ring.Pop(kLong).value(), nullptr);
}

TEST(KafkaBatchRingTest, WakeIsNotLostWhenNobodyWaits) {
  BatchRing ring;
  ring.Wake();
  const auto began = std::chrono::steady_clock::now();
  EXPECT_EQ(ring.Pop(kLong).value(), nullptr);
  EXPECT_LT(std::chrono::steady_clock::now() - began, kLong / 2);
  EXPECT_EQ(ring.Pop(milliseconds(1)).value(), nullptr);
}

TEST(KafkaRecordBatchTest, IsFullByCountOrByBytes) {
  RecordBatch batch;
  for (std::size_t i = 0; i < RecordBatch::kMaxRecords; ++i) {
    EXPECT_FALSE(batch.IsFull());
    batch.Slot();
    batch.Add("k", "v", 2, true);
  }
  EXPECT_TRUE(batch.IsFull());
  batch.Clear();
  EXPECT_EQ(batch.count, 0u);
  batch.Slot().event.x.resize(100'000);
  batch.Add("k", std::string(RecordBatch::kMaxBytes, 'x'), RecordBatch::kMaxBytes, false);
  EXPECT_TRUE(batch.IsFull());
  EXPECT_EQ(batch.value(0), std::nullopt);
  // The buffers of a large message are not kept.
  batch.Clear();
  EXPECT_EQ(batch.Slot().event.x.capacity(), 0u);
}

}  // namespace
}  // namespace lethe::kafka
