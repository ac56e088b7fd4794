// In which order a model leaves the process, and when it must not.

#include "app/pipeline/model_release.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/shard_fixture.h"

namespace lethe::model_release_test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Writes down what it is told, in one list with the commits and the receipts.
class LoggingPort final : public ReleasePort {
 public:
  Status WaitForWrites() override { return Status::Ok(); }
  Status Mark(ModelVersion version) override {
    return Note("mark " + std::to_string(version.value));
  }
  Status DestroySnapshotsWith(EventIndex first) override {
    return Note("destroy " + std::to_string(first.value));
  }
  Status AddSnapshot() override { return Note("snapshot"); }
  void Show() override { calls.emplace_back("show"); }
  Status SendModel() override { return Note("model"); }
  Status SendCleanFrom() override { return Note("clean"); }
  Status WaitForModels() override {
    calls.emplace_back("wait");
    return is_away ? Status{ErrorCode::kInterrupted, "stopped"} : Status::Ok();
  }

  Status Note(std::string call) {
    calls.push_back(std::move(call));
    return Status::Ok();
  }

  bool is_away = false;
  std::vector<std::string> calls;
};

class LoggingSink final : public Sink {
 public:
  explicit LoggingSink(std::vector<std::string>& calls) : calls_(calls) {}
  Status Publish(ShardId, ChainKind kind, std::string_view) override {
    calls_.emplace_back(kind == ChainKind::kReceipt ? "receipt" : "notice");
    return Status::Ok();
  }

 private:
  std::vector<std::string>& calls_;
};

class ModelReleaseTest : public testing::ShardFixture, public CommitSteps {
 protected:
  ModelReleaseTest() : logged_(port_.calls) {}

  void Begin(const ModelRelease::Pace& pace) {
    random = std::make_unique<SeededRandom>(1);
    shard = std::make_unique<Shard>(Plan::Make(spec).value(), ShardIdentity::New({0}, *random),
                                    ShardPorts{state, payloads, logged_, probe, hasher, *random});
    runner = std::make_unique<RecordFeeder>(*shard, *this);
    release_.emplace(*shard, port_, pace);
    release_->Begin();
  }
  bool NeedsSync() override { return release_->NeedsSync(now_); }
  Status Release(bool has_news) override {
    return release_->AfterCommit(has_news, std::exchange(forgotten_, std::nullopt), now_);
  }
  std::vector<std::string> Calls() { return std::exchange(port_.calls, {}); }

  LoggingPort port_;
  LoggingSink logged_;
  std::optional<ModelRelease> release_;
  std::optional<EventIndex> forgotten_;
  std::int64_t now_ = kSecond;
};

using Strings = std::vector<std::string>;

TEST_F(ModelReleaseTest, TheReceiptComesLast) {
  Begin({.models_every_ns = 3600 * kSecond, .snapshot_every = 1000, .has_models_topic = true});
  ASSERT_TRUE(runner->Commit().ok());
  EXPECT_EQ(Calls(), (Strings{"show", "model"}));
  Learn("a");
  forgotten_ = EventIndex{0};
  Delete("a");
  EXPECT_EQ(Calls(), (Strings{"destroy 0", "show", "model", "clean", "wait", "receipt"}));
}

TEST_F(ModelReleaseTest, AModelThatHasNotArrivedKeepsTheReceiptBack) {
  Begin({.models_every_ns = 3600 * kSecond, .snapshot_every = 1000, .has_models_topic = true});
  Learn("a");
  port_.is_away = true;
  EXPECT_EQ(Feed(Make(EventKind::kDelete, "a", {})).code(), ErrorCode::kInterrupted);
  EXPECT_EQ(Calls(), (Strings{"show", "model", "clean", "wait"}));
}

TEST_F(ModelReleaseTest, WithoutAModelsTopicNothingIsWaitedFor) {
  Begin({.models_every_ns = 0, .snapshot_every = 1000, .has_models_topic = false});
  Learn("a");
  Delete("a");
  EXPECT_EQ(Calls(), (Strings{"show", "receipt"}));
}

TEST_F(ModelReleaseTest, WhatACommitWasTooEarlyForIsShownLater) {
  Begin({.models_every_ns = 0, .snapshot_every = 1000, .has_models_topic = false});
  ASSERT_TRUE(runner->Commit().ok());
  EXPECT_EQ(Calls(), (Strings{"show"}));
  Learn("a");
  now_ += kSecond / 1000;
  ASSERT_TRUE(runner->Commit().ok());
  EXPECT_TRUE(Calls().empty());
  now_ += kSecond / 2;
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(release_->ShowLater(now_).ok());
  EXPECT_EQ(Calls(), (Strings{"show"}));
}

TEST_F(ModelReleaseTest, AModelWithDrawsIsMarkedFirstAndShownOnceASecond) {
  spec.forgetting.mode = "noisy";
  Begin({.models_every_ns = 0, .snapshot_every = 1, .has_models_topic = true});
  ASSERT_TRUE(runner->Commit().ok());
  EXPECT_EQ(Calls(), (Strings{"mark 0", "show", "model"}));
  Learn("a");
  now_ += kSecond / 2;
  ASSERT_TRUE(runner->Commit().ok());
  ASSERT_TRUE(release_->ShowLater(now_).ok());
  EXPECT_TRUE(shard->has_unsynced_draws());
  EXPECT_TRUE(Calls().empty());
  now_ += kSecond / 2;
  EXPECT_TRUE(release_->NeedsSync(now_));
  ASSERT_TRUE(runner->Commit().ok());
  EXPECT_FALSE(shard->has_unsynced_draws());
  EXPECT_EQ(Calls(), (Strings{"mark 1", "snapshot", "show", "model"}));
  // A deletion does not wait for the second.
  Delete("a");
  EXPECT_EQ(Calls(), (Strings{"mark 2", "show", "model", "clean", "wait", "receipt"}));
  // Nor does the end.
  Learn("b");
  EXPECT_FALSE(release_->NeedsSync(now_));
  release_->End();
  EXPECT_TRUE(release_->NeedsSync(now_));
}

// The clock may serve the request. After a power cut it would do so at another record, and the
// number of the version would come again.
TEST_F(ModelReleaseTest, WhileARequestWaitsAModelIsShownAfterASyncedCommit) {
  spec.forgetting.deadline.event_time_ms = 60'000;
  Begin({.models_every_ns = 3600 * kSecond, .snapshot_every = 1000});
  Learn("a");
  Delete("a");
  EXPECT_EQ(Calls(), (Strings{"show", "notice"}));
  ASSERT_EQ(shard->waiting(), 1u);
  now_ += kSecond / 2;
  Learn("b");
  ASSERT_TRUE(runner->Commit().ok());
  ASSERT_TRUE(release_->ShowLater(now_).ok());
  EXPECT_TRUE(Calls().empty());
  now_ += kSecond / 2;
  EXPECT_TRUE(release_->NeedsSync(now_));
  ASSERT_TRUE(runner->Commit().ok());
  EXPECT_EQ(Calls(), (Strings{"show"}));
}

TEST_F(ModelReleaseTest, ASnapshotIsMadeWhenAMultipleIsPassed) {
  Begin({.models_every_ns = 0, .snapshot_every = 2, .has_models_topic = false});
  for (const char* id : {"a", "b", "c"}) Learn(id);
  ASSERT_TRUE(runner->Commit().ok());
  EXPECT_EQ(Calls(), (Strings{"snapshot", "show"}));
}

}  // namespace
}  // namespace lethe::model_release_test
