// Commits that are written in the background: in order, all of them, and no error is lost.

#include "state/commit_writer.h"

#include <atomic>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "state/store/memory_store.h"

namespace lethe::commit_writer_test {
namespace {

// Slow, and from some write on the disk is full.
class WornStore final : public Store {
 public:
  explicit WornStore(int good) : good_(good) {}

  Result<std::optional<std::string>> Get(Family family, std::string_view key) const override {
    return memory_.Get(family, key);
  }
  Status Scan(Family family, std::string_view first, const Visitor& visit) const override {
    return memory_.Scan(family, first, visit);
  }
  Status Write(const WriteBatch& batch, bool sync) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (writes_++ >= good_) return {ErrorCode::kDisk, "full"};
    return memory_.Write(batch, sync);
  }
  Status Rewrite(const std::vector<KeyRange>&, const Scrub&) override { return Status::Ok(); }

  int writes() const { return writes_; }

 private:
  MemoryStore memory_;
  const int good_;
  std::atomic<int> writes_ = 0;
};

// Of a batch that says its number.
Status Write(CommitWriter& writer, int number, bool now) {
  WriteBatch batch;
  batch.Put(Family::kMeta, "last", std::to_string(number));
  batch.Put(Family::kMeta, std::to_string(number), "there");
  const Status status = writer.Write(batch, 1, now);
  EXPECT_EQ(batch.empty(), status.ok());
  return status;
}

std::string Value(const Store& store, const std::string& key) {
  return store.Get(Family::kMeta, key).value().value_or("");
}

TEST(CommitWriterTest, EverythingIsWrittenInOrder) {
  WornStore store(1000);
  CommitWriter writer(store, nullptr);
  writer.StartThread();
  for (int i = 0; i < 50; ++i) {
    ASSERT_TRUE(Write(writer, i, i % 7 == 0).ok());
    if (i % 7 == 0) {
      EXPECT_EQ(Value(store, "last"), std::to_string(i));
    }
  }
  ASSERT_TRUE(writer.WaitForWrites().ok());
  EXPECT_EQ(Value(store, "last"), "49");
  for (int i = 0; i < 50; ++i) EXPECT_EQ(Value(store, std::to_string(i)), "there");
}

TEST(CommitWriterTest, WithoutAThreadNothingWaits) {
  WornStore store(1);
  CommitWriter writer(store, nullptr);
  EXPECT_TRUE(Write(writer, 0, false).ok());
  EXPECT_EQ(Value(store, "last"), "0");
  EXPECT_EQ(Write(writer, 1, false).message(), "full");
}

TEST(CommitWriterTest, AnErrorComesOutOfTheNextAndStays) {
  WornStore store(1);
  CommitWriter writer(store, nullptr);
  writer.StartThread();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Write(writer, i, false).ok());
  EXPECT_EQ(Write(writer, 2, true).code(), ErrorCode::kDisk);
  EXPECT_EQ(writer.WaitForWrites().message(), "full");
  EXPECT_EQ(Write(writer, 2, false).message(), "full");
  EXPECT_EQ(store.writes(), 2);  // nothing is written behind a gap
  EXPECT_EQ(Value(store, "last"), "0");
}

TEST(CommitWriterTest, WhatWasHandedOverIsWrittenAtTheEnd) {
  WornStore store(1000);
  {
    CommitWriter writer(store, nullptr);
    writer.StartThread();
    ASSERT_TRUE(Write(writer, 5, false).ok());
  }
  EXPECT_EQ(Value(store, "last"), "5");
}

}  // namespace
}  // namespace lethe::commit_writer_test
