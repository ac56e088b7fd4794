// Batches pass the stages once and in order, with any number of threads.

#include "app/pipeline/batch_pipeline.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

namespace lethe::batch_pipeline_test {
namespace {

struct Numbered {
  int number = -1;
  bool is_prepared = false;
};

class Counting final : public PipelineStages<Numbered> {
 public:
  Counting(int count, int bad_read, int bad_finish)
      : count_(count), bad_read_(bad_read), bad_finish_(bad_finish) {}

  Result<bool> Read(Numbered& batch) override {
    EXPECT_EQ(++readers_, 1);
    batch = {next_++, false};
    const bool is_bad = batch.number == bad_read_;
    --readers_;
    if (is_bad) return Status(ErrorCode::kInput, "read");
    return batch.number < count_;
  }
  void Prepare(Numbered& batch) override {
    if (batch.number % 3 == 0) std::this_thread::yield();
    batch.is_prepared = true;
  }
  Status Finish(Numbered& batch) override {
    EXPECT_EQ(++finishers_, 1);
    EXPECT_TRUE(batch.is_prepared);
    EXPECT_EQ(batch.number, finished++);
    --finishers_;
    if (batch.number == bad_finish_) return {ErrorCode::kDisk, "finish"};
    return Status::Ok();
  }

  int finished = 0;

 private:
  const int count_;
  const int bad_read_;
  const int bad_finish_;
  int next_ = 0;
  std::atomic<int> readers_{0};
  std::atomic<int> finishers_{0};
};

class BatchPipelineTest : public ::testing::TestWithParam<int> {};

TEST_P(BatchPipelineTest, EveryBatchIsFinishedOnceAndInOrder) {
  Counting steps(5000, -1, -1);
  EXPECT_TRUE(BatchPipeline<Numbered>(steps, 4).Run(GetParam()).ok());
  EXPECT_EQ(steps.finished, 5000);
}

TEST_P(BatchPipelineTest, ABadReadComesAfterTheBatchesBeforeIt) {
  Counting steps(5000, 700, -1);
  EXPECT_EQ(BatchPipeline<Numbered>(steps, 4).Run(GetParam()).message(), "read");
  EXPECT_EQ(steps.finished, 700);
}

TEST_P(BatchPipelineTest, NothingIsFinishedAfterABadOne) {
  Counting steps(5000, -1, 700);
  EXPECT_EQ(BatchPipeline<Numbered>(steps, 4).Run(GetParam()).message(), "finish");
  EXPECT_EQ(steps.finished, 701);
}

TEST_P(BatchPipelineTest, NothingIsFine) {
  Counting steps(0, -1, -1);
  EXPECT_TRUE(BatchPipeline<Numbered>(steps, 4).Run(GetParam()).ok());
}

// Wants help for some batches, and finishes them only when it has come.
class Helped final : public PipelineStages<Numbered> {
 public:
  Result<bool> Read(Numbered& batch) override {
    batch = {next_++, false};
    return batch.number < kCount;
  }
  void Prepare(Numbered& batch) override {
    if (std::this_thread::get_id() != own_) {
      ++prepared_by_helper_;
      prepared_by_helper_.notify_one();
    }
    batch.is_prepared = true;
  }
  Status Finish(Numbered& batch) override {
    EXPECT_TRUE(batch.is_prepared);
    EXPECT_EQ(batch.number, finished++);
    if (batch.number % 10 != 0 || batch.number + 1 == kCount) return Status::Ok();
    const int before = prepared_by_helper_;
    turns.WantHelp(true);
    prepared_by_helper_.wait(before);
    turns.WantHelp(false);
    return Status::Ok();
  }
  int prepared_by_helper() const { return prepared_by_helper_; }

  static constexpr int kCount = 2000;
  int finished = 0;
  BatchPipeline<Numbered> turns{*this, 4};

 private:
  const std::thread::id own_ = std::this_thread::get_id();
  int next_ = 0;
  std::atomic<int> prepared_by_helper_{0};
};

TEST(TurnsWithHelper, ItPreparesWheneverItIsWanted) {
  Helped steps;
  EXPECT_TRUE(steps.turns.RunWithHelper().ok());
  EXPECT_EQ(steps.finished, Helped::kCount);
  EXPECT_GE(steps.prepared_by_helper(), Helped::kCount / 10);
}

TEST(TurnsWithHelper, UnlessItIsWantedItDoesNothing) {
  class Alone final : public PipelineStages<Numbered> {
   public:
    Result<bool> Read(Numbered& batch) override {
      batch.number = next_++;
      return batch.number < 500;
    }
    void Prepare(Numbered& /*batch*/) override { EXPECT_EQ(std::this_thread::get_id(), own_); }
    Status Finish(Numbered& batch) override {
      EXPECT_EQ(batch.number, finished++);
      return batch.number == 400 ? Status(ErrorCode::kDisk, "finish") : Status::Ok();
    }
    int finished = 0;

   private:
    const std::thread::id own_ = std::this_thread::get_id();
    int next_ = 0;
  } steps;
  EXPECT_EQ(BatchPipeline<Numbered>(steps, 4).RunWithHelper().message(), "finish");
  EXPECT_EQ(steps.finished, 401);
}

INSTANTIATE_TEST_SUITE_P(Threads, BatchPipelineTest, ::testing::Values(1, 2, 4));

}  // namespace
}  // namespace lethe::batch_pipeline_test
