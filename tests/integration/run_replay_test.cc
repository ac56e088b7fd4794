// The daemon against the real broker: what it learns, forgets and publishes is what a replay of the
// same topic gives, bit for bit.

#include <csignal>
#include <iostream>

#include "connectors/kafka/cluster.h"
#include "tests/support/daemon_fixture.h"

namespace lethe::testing::run_replay_test {
namespace {

class RunReplayTest : public DaemonTest {
 protected:
  // `obeys`: the replay is given the receipts, because the clock decided.
  void ExpectSameAsReplay(const std::string& more, bool obeys = false) {
    Config(more);
    const auto daemon = Start();
    WaitForRecords(*daemon, records_);
    if (obeys) WaitForRequests(*daemon);
    const std::string model = Model(*daemon);
    daemon->Signal(SIGTERM);
    ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
    EXPECT_TRUE(daemon->Says("stopped cleanly", {}));
    const auto stream = RecordTopic(topic);
    const Replayed replayed = obeys ? ReplayAsPublished(stream) : Replay(stream);
    EXPECT_EQ(model, replayed.model);
    EXPECT_EQ(PublishedChain(), replayed.chain);
    EXPECT_GT(replayed.chain.size(), 100u);
  }

  void Fill() {
    const auto messages = Generate(10'000, 0.02);
    Send(messages);
    records_ = static_cast<std::int64_t>(messages.size());
  }

  std::int64_t records_ = 0;
};

TEST_F(RunReplayTest, TheSameBits) {
  Fill();
  ExpectSameAsReplay("");
}

TEST_F(RunReplayTest, TheSameBitsWithACommitForEveryEvent) {
  Fill();
  ExpectSameAsReplay("state: {path: " + state_path.string() + ", commit_events: 1}\n");
}

TEST_F(RunReplayTest, TheSameBitsWithRareCommits) {
  Fill();
  ExpectSameAsReplay("state: {path: " + state_path.string() +
                     ", commit_events: 10000, commit_every: 1h}\n");
}

TEST_F(RunReplayTest, TheSameBitsInActiveModeWithADeadline) {
  Fill();
  ExpectSameAsReplay("forgetting: {mode: active, deadline: 50}\n");
}

TEST_F(RunReplayTest, TheSameBitsInModeRewindWithTheReceipts) {
  Fill();
  ExpectSameAsReplay("forgetting: {mode: rewind, retention: 6000}\n", true);
  std::size_t grouped = 0;
  for (const std::string& entry : PublishedChain()) {
    grouped += entry.find(R"("by":"group")") != std::string::npos;
  }
  std::cout << grouped << " of 200 receipts by group\n";
  EXPECT_GT(grouped, 0u);
}

TEST_F(RunReplayTest, RefusedRecordsGoToTheDeadLetterTopicWithTheirPlaceAndReason) {
  Send({{topic, 0, "user-1", R"({"type":"learn","id":"a","x":[1],"y":1})", {}},
        {topic, 0, "user-2", "not JSON", {}},
        {topic, 0, "user-3", R"({"type":"delete","request":17)", {}},
        {topic, 0, "user-4", R"({"type":"learn","id":"b","x":[0.1,0,0,0,0],"y":1})", {}}});
  const auto daemon = Start();
  WaitForRecords(*daemon, 4);
  EXPECT_EQ(StatusOf(*daemon, "/totals/learned"), "1");
  EXPECT_EQ(StatusOf(*daemon, "/totals/rejected/wrong_dimension"), "1");
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  const auto letters = ReadTopic(dead_topic);
  ASSERT_EQ(letters.size(), 3u);
  EXPECT_EQ(letters[0].key, "user-1");
  EXPECT_EQ(letters[0].value, "");
  auto cluster = KafkaCluster::Open(Settings(), {}).value();
  const auto letter = cluster->At(dead_topic, 0, {0}, kPatience).value();
  ASSERT_TRUE(letter.has_value());
  const std::map<std::string, std::string> headers(letter->headers.begin(), letter->headers.end());
  EXPECT_EQ(headers.at("__lethe.errors.topic"), topic);
  EXPECT_EQ(headers.at("__lethe.errors.partition"), "0");
  EXPECT_EQ(headers.at("__lethe.errors.offset"), "0");
  EXPECT_EQ(headers.at("__lethe.errors.reason"), "wrong_dimension");
  EXPECT_EQ(headers.count("__lethe.errors.timestamp"), 1u);
  EXPECT_EQ(headers.count("__lethe.errors.stage"), 1u);
  EXPECT_EQ(headers.count("__lethe.errors.message"), 1u);
  // The unreadable delete has a receipt that says so.
  ASSERT_EQ(PublishedChain().size(), 1u);
  EXPECT_NE(PublishedChain()[0].find("\"outcome\":\"rejected\""), std::string::npos);
}

TEST_F(RunReplayTest, AStopBeforeAnythingCameIsCleanAndAResumeGoesOn) {
  auto daemon = Start();
  ASSERT_TRUE(daemon->Says("msg=ready")) << daemon->Log();
  daemon->Signal(SIGINT);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  Fill();
  ExpectSameAsReplay("");
}

}  // namespace
}  // namespace lethe::testing::run_replay_test
