// States that do not fit what the brokers know are refused, and nothing is lost by it: each test
// ends with the right state going on.

#include <algorithm>
#include <csignal>
#include <thread>

#include "tests/support/daemon_fixture.h"

namespace lethe::testing::run_startup_fence_test {
namespace {

class RunStartupFenceTest : public DaemonTest {
 protected:
  void ExpectRefused(const std::string& because, const std::vector<std::string>& flags = {}) {
    const auto daemon = Start(flags);
    EXPECT_EQ(daemon->Wait(), 65) << daemon->Log();
    EXPECT_TRUE(daemon->Says(because, {})) << daemon->Log();
  }

  void ExpectGoesOn() {
    ReadSome(100);
    const Replayed replayed = Replay(RecordTopic(topic));
    EXPECT_EQ(PublishedChain(), replayed.chain);
  }
};

TEST_F(RunStartupFenceTest, AnOldCopyOfTheStateIsRefused) {
  ReadSome(300);
  std::filesystem::copy(state_path, folder / "copy", std::filesystem::copy_options::recursive);
  ReadSome(300);
  std::filesystem::rename(state_path, folder / "newest");
  std::filesystem::rename(folder / "copy", state_path);
  ExpectRefused("it is an old copy");
  std::filesystem::remove_all(state_path);
  std::filesystem::rename(folder / "newest", state_path);
  ExpectGoesOn();
}

TEST_F(RunStartupFenceTest, ASecondOwnerIsRefused) {
  ReadSome(300);
  const auto daemon = Start();
  ASSERT_TRUE(daemon->Says("msg=ready")) << daemon->Log();
  ExpectRefused("in use by another process");
  // With a state of its own it would be a second chain for the same shard.
  const auto other = folder / "other";
  Config("state: {path: " + other.string() + "}\n");
  ExpectRefused("by another state");
  // Nothing stays that looks like a state.
  EXPECT_FALSE(std::filesystem::exists(other / "shard-0"));
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  Config();
  ExpectGoesOn();
}

TEST_F(RunStartupFenceTest, ALostStateBeginsAnewWhenToldTo) {
  ReadSome(300);
  std::filesystem::remove_all(state_path);
  ExpectRefused("run --begin-anew");
  EXPECT_FALSE(std::filesystem::exists(state_path / "shard-0"));
  const auto daemon = Start({"--begin-anew"});
  WaitForRecords(*daemon, static_cast<std::int64_t>(sent_));
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  const auto chain = PublishedChain();
  EXPECT_TRUE(std::any_of(chain.begin(), chain.end(), [](const std::string& entry) {
    return entry.find("\"status\":\"begun\"") != std::string::npos;
  }));
}

TEST_F(RunStartupFenceTest, ATopicThatWasMadeAnewIsRefused) {
  ReadSome(300);
  ASSERT_TRUE(DeleteTopic(Settings(), topic, kPatience).ok());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  Status made;
  for (int i = 0; i < 20; ++i) {
    made = Admin().CreateTopic(topic, 1, {}, kPatience);
    if (made.ok()) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
  }
  ASSERT_TRUE(made.ok()) << made.message();
  ExpectRefused("made anew");
  // Also when it has as many records again.
  Send(Generate(400, 0.05, 2));
  ExpectRefused("made anew");
}

TEST_F(RunStartupFenceTest, ATopicWithMorePartitionsIsRefused) {
  ReadSome(300);
  ASSERT_TRUE(AddPartitions(Settings(), topic, 3, kPatience).ok());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  ExpectRefused("has 3 partitions, and had 1");
}

TEST_F(RunStartupFenceTest, RecordsThatExpiredUnreadAreRefusedUnlessAccepted) {
  ReadSome(300);
  const auto messages = Generate(1000, 0.05);
  Send({messages.begin() + 300, messages.begin() + 500});
  ASSERT_TRUE(DeleteRecordsBefore(Settings(), topic, 0, {400}, kPatience).ok());
  ExpectRefused("records 300 to 399 were removed");
  const auto daemon = Start({"--accept-gap"});
  WaitForRecords(*daemon, 400);
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  const auto chain = PublishedChain();
  EXPECT_TRUE(std::any_of(chain.begin(), chain.end(), [](const std::string& entry) {
    return entry.find("\"status\":\"gap\"") != std::string::npos;
  }));
}

TEST_F(RunStartupFenceTest, AChangedStepSizeIsRefusedWithTheDifference) {
  ReadSome(300);
  Config("learning: {eta: 0.5}\n");
  ExpectRefused("learning.eta: \"auto\" in the state, 0.5 in the configuration");
  Config();
  ExpectGoesOn();
}

TEST_F(RunStartupFenceTest, AnotherTopicIsRefused) {
  ReadSome(300);
  const std::string old = topic;
  topic = NewTopic(1);
  Config();
  ExpectRefused("was learned from topic " + old);
  topic = old;
  Config();
  ExpectGoesOn();
}

}  // namespace
}  // namespace lethe::testing::run_startup_fence_test
