// In modes that draw at random while they learn, an old copy of a state is known by the mark of the
// models that were released, although learning adds nothing to the chain.

#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/support/daemon_fixture.h"

namespace lethe::testing::run_released_test {
namespace {

class RunReleasedTest : public DaemonTest {
 protected:
  // Learns 100 more events, and waits until their models are released.
  void LearnMore() {
    std::vector<OutMessage> events;
    for (int i = 0; i < 100; ++i) {
      events.push_back({topic, 0, {}, R"({"type":"learn","x":[0.1,0.2,0,0,0.3],"y":1})", {}});
    }
    Send(events);
    sent_ += events.size();
    const auto daemon = Start();
    WaitForRecords(*daemon, static_cast<std::int64_t>(sent_));
    daemon->Signal(SIGTERM);
    ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  }

  void ExpectOldCopyRefused(const std::string& publish, int exit_code) {
    Config("noise: {seed: 5}\nforgetting: {mode: noisy}\npublish: {" + publish + "}\n");
    LearnMore();
    std::filesystem::copy(state_path, folder / "copy", std::filesystem::copy_options::recursive);
    LearnMore();
    std::filesystem::rename(state_path, folder / "newest");
    std::filesystem::rename(folder / "copy", state_path);
    const auto old = Start();
    if (exit_code == 0) {
      EXPECT_TRUE(old->Says("msg=ready")) << old->Log();
      old->Signal(SIGTERM);
      EXPECT_EQ(old->Wait(), 0) << old->Log();
      return;
    }
    EXPECT_EQ(old->Wait(), exit_code) << old->Log();
    EXPECT_TRUE(old->Says("of its model was released", {})) << old->Log();
    EXPECT_TRUE(old->Says("it is an old copy", {})) << old->Log();
    std::filesystem::remove_all(state_path);
    std::filesystem::rename(folder / "newest", state_path);
    LearnMore();
  }
};

TEST_F(RunReleasedTest, AnOldCopyWithoutNewReceiptsIsRefused) {
  ExpectOldCopyRefused("receipts_topic: " + receipts_topic + ", models_topic: " + NewTopic(1), 65);
}

TEST_F(RunReleasedTest, TheReceiptsTopicCarriesTheMarkWhereNoModelsTopicIs) {
  ExpectOldCopyRefused("receipts_topic: " + receipts_topic, 65);
  EXPECT_TRUE(PublishedChain().empty());
}

// Stated in docs/running.md: nothing outside of the state knows what was released.
TEST_F(RunReleasedTest, WithoutAnyTopicNothingTells) {
  ExpectOldCopyRefused("models_every: 1h", 0);
}

TEST_F(RunReleasedTest, AfterACrashTheStateGoesOn) {
  Config("noise: {seed: 5}\nforgetting: {mode: online_dp}\n");
  for (int i = 0; i < 3; ++i) {
    LearnMore();
    const auto daemon = Start();
    ASSERT_TRUE(daemon->Says("msg=ready")) << daemon->Log();
    Send({{topic, 0, {}, R"({"type":"learn","x":[0.1,0.2,0,0,0.3],"y":1})", {}}});
    ++sent_;
    std::this_thread::sleep_for(std::chrono::milliseconds(300 * i));
    daemon->Signal(SIGKILL);
    daemon->Wait();
  }
  LearnMore();
}

}  // namespace
}  // namespace lethe::testing::run_released_test
