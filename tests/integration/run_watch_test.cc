// What changes in Kafka while a daemon runs is noticed as at the start: it ends with 65, says why,
// and nobody who asked is left out when it begins anew.

#include <algorithm>
#include <csignal>
#include <thread>

#include "connectors/kafka/partitioner.h"
#include "tests/support/daemon_fixture.h"

namespace lethe::testing::run_watch_test {
namespace {

class RunWatchTest : public DaemonTest {
 protected:
  // A configuration with noise of its own, so that states differ, and a folder.
  void ConfigWith(const std::string& name) {
    state_path = folder / name;
    config_path = folder / (name + ".yaml");
    Config("noise: {\"source\": system}\n");  // quoted, or it would be taken for the topic's
  }
  OutMessage LearnOf(int person, std::int32_t partition = 0) {
    return {topic,
            partition,
            "user-" + std::to_string(person),
            R"({"type":"learn","x":[0.1,0.2,0,0,0.3],"y":1})",
            {}};
  }
  OutMessage DeleteOf(int person, std::int32_t partition = 0) {
    return {topic,
            partition,
            "user-" + std::to_string(person),
            R"({"type":"delete","subject":"user-)" + std::to_string(person) + "\"}",
            {}};
  }
  void MakeTopicAnew() {
    ASSERT_TRUE(DeleteTopic(Settings(), topic, kPatience).ok());
    Status made;
    for (int i = 0; i < 100; ++i) {
      made = Admin().CreateTopic(topic, 1, {}, kPatience);
      if (made.ok()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    FAIL() << made.message();
  }
  void ExpectEnds(Process& daemon, const std::string& because) {
    EXPECT_EQ(daemon.Wait(), 65) << daemon.Log();
    EXPECT_TRUE(daemon.Says(because, {})) << daemon.Log();
  }
  // Begins anew with another folder, reads all, and returns how many requests were honoured.
  std::string ForgottenByBeginningAnew(std::int64_t records) {
    ConfigWith("anew");
    const auto daemon = Start({"--begin-anew"});
    WaitForRecords(*daemon, records);
    const std::string forgotten = StatusOf(*daemon, "/totals/outcomes/forgotten");
    daemon->Signal(SIGTERM);
    EXPECT_EQ(daemon->Wait(), 0) << daemon->Log();
    return forgotten;
  }
};

TEST_F(RunWatchTest, ATopicThatIsMadeAnewEndsTheDaemon) {
  std::vector<OutMessage> first;
  for (int i = 0; i < 20; ++i) first.push_back(LearnOf(i));
  Send(first);
  auto daemon = Start();
  WaitForRecords(*daemon, 20);
  std::vector<OutMessage> second;
  for (int i = 0; i < 10; ++i) second.push_back(LearnOf(i));
  for (int i = 0; i < 5; ++i) second.push_back(DeleteOf(i));
  for (int i = 10; i < 300; ++i) second.push_back(LearnOf(i));
  MakeTopicAnew();
  Send(second);
  EXPECT_EQ(daemon->Wait(), 65) << daemon->Log();
  // Nor does it go on after another start, although records of the new topic may have been read.
  daemon = Start();
  ExpectEnds(*daemon, "Begin anew");
  EXPECT_EQ(ForgottenByBeginningAnew(305), "5");
}

TEST_F(RunWatchTest, PartitionsThatAreAddedEndTheDaemon) {
  auto daemon = Start();
  ASSERT_TRUE(daemon->Says("msg=ready")) << daemon->Log();
  ASSERT_TRUE(AddPartitions(Settings(), topic, 3, kPatience).ok());
  ExpectEnds(*daemon, "has 3 partitions, and had 1");
  daemon = Start();
  ExpectEnds(*daemon, "has 3 partitions, and had 1");
}

TEST_F(RunWatchTest, ASecondDaemonWithAFolderOfItsOwnIsRefusedBeforeAnyDeletion) {
  ConfigWith("one");
  const auto one = Start();
  ASSERT_TRUE(one->Says("msg=ready")) << one->Log();
  ConfigWith("two");
  const auto two = Start();
  ExpectEnds(*two, "by another state");
  Send({LearnOf(1), DeleteOf(1)});
  WaitForRecords(*one, 2);
  EXPECT_EQ(StatusOf(*one, "/totals/outcomes/forgotten"), "1");
  one->Signal(SIGTERM);
  ASSERT_EQ(one->Wait(), 0) << one->Log();
}

TEST_F(RunWatchTest, OneThatBeginsAnewEndsTheOneThatWasForgotten) {
  ConfigWith("one");
  const auto one = Start();
  ASSERT_TRUE(one->Says("msg=ready")) << one->Log();
  ConfigWith("two");
  const auto two = Start({"--begin-anew"});
  ASSERT_TRUE(two->Says("msg=ready")) << two->Log();
  ExpectEnds(*one, "another process has taken over this shard");
  Send({LearnOf(1), DeleteOf(1)});
  WaitForRecords(*two, 2);
  two->Signal(SIGTERM);
  ASSERT_EQ(two->Wait(), 0) << two->Log();
  ConfigWith("one");
  ExpectEnds(*Start(), "by another state");
}

TEST_F(RunWatchTest, ACopyOfTheStateEndsTheOriginal) {
  ReadSome(100);
  std::filesystem::copy(state_path, folder / "copy", std::filesystem::copy_options::recursive);
  const auto original = Start();
  ASSERT_TRUE(original->Says("msg=ready")) << original->Log();
  state_path = folder / "copy";
  Config();
  const auto copy = Start();
  ASSERT_TRUE(copy->Says("msg=ready")) << copy->Log();
  ExpectEnds(*original, "another process has taken over this shard");
  copy->Signal(SIGTERM);
  ASSERT_EQ(copy->Wait(), 0) << copy->Log();
}

TEST_F(RunWatchTest, OfTwoThatStartAtTheSameMomentOneGoesOn) {
  ConfigWith("one");
  const auto one = Start();
  ConfigWith("two");
  const auto two = Start();
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  const auto is_refused = [](const Process& daemon) {
    return daemon.Log().find("shard 0: ") != std::string::npos;
  };
  while (!is_refused(*one) && !is_refused(*two) && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  Process& refused = is_refused(*one) ? *one : *two;
  Process& owner = is_refused(*one) ? *two : *one;
  EXPECT_EQ(refused.Wait(), 65) << refused.Log();
  Send({LearnOf(1), DeleteOf(1)});
  WaitForRecords(owner, 2);
  owner.Signal(SIGTERM);
  EXPECT_EQ(owner.Wait(), 0) << owner.Log();
}

}  // namespace
}  // namespace lethe::testing::run_watch_test
