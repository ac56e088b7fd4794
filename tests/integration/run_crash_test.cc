// The daemon is killed, again and again, while it is busy; and the broker goes away under it. What
// comes out is what an undisturbed replay gives.

#include <test_paths.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <thread>

#include "tests/support/daemon_fixture.h"

namespace lethe::testing::run_crash_test {
namespace {

class RunCrashTest : public DaemonTest {
 protected:
  // The receipts topic, in order, without repeats that are equal; a repeat that differs fails.
  std::vector<std::string> ChainWithoutRepeats() {
    std::vector<std::string> chain;
    std::size_t repeats = 0;
    for (const std::string& entry : PublishedChain()) {
      const auto known = std::find(chain.begin(), chain.end(), entry);
      if (known == chain.end()) {
        chain.push_back(entry);
      } else {
        ++repeats;
      }
    }
    std::cout << chain.size() << " entries published, " << repeats << " of them again\n";
    return chain;
  }

  // `obeys`: the replay is given the receipts, because the clock decided.
  void ExpectSameAsReplay(Process& daemon, bool obeys = false) {
    if (obeys) WaitForRequests(daemon);
    const std::string model = Model(daemon);
    daemon.Signal(SIGTERM);
    ASSERT_EQ(daemon.Wait(), 0) << daemon.Log();
    const auto stream = RecordTopic(topic);
    const Replayed replayed = obeys ? ReplayAsPublished(stream) : Replay(stream);
    EXPECT_EQ(model, replayed.model);
    EXPECT_EQ(ChainWithoutRepeats(), replayed.chain);
    const std::string verify =
        std::string(LETHE_BINARY) + " receipts verify " + state_path.string() + " >/dev/null";
    EXPECT_EQ(std::system(verify.c_str()), 0);
  }

  void Kill(int kills, std::size_t events, double deletions, const std::string& config,
            bool obeys = false) {
    const auto messages = Generate(events, deletions);
    // Commits are many, so that kills fall between them. On a slow machine the clock would decide
    // on notices, which no replay repeats: hence max_lag.
    Config("state: {path: " + state_path.string() + ", commit_events: 97, commit_every: 5ms}\n" +
           "erasure: {max_lag: 1h}\n" + config);
    std::atomic<int> busy = 0;
    std::atomic<bool> has_killed = false;
    std::thread producer([&] {
      auto sender = KafkaProducer::Start(Settings(), {}).value();
      // In slices that follow the kills, so that there is always something new to do.
      constexpr std::size_t kSlices = 400;
      const std::size_t slice = messages.size() / kSlices;
      for (std::size_t i = 0; i < messages.size(); ++i) {
        EXPECT_TRUE(sender->Send(messages[i], {}, kPatience).ok());
        if (i % slice == 0) {
          EXPECT_TRUE(sender->Flush(kPatience).ok());
          const auto is_early = [&] {
            return i / slice > kSlices * static_cast<std::size_t>(busy + 1) / (kills + 1U);
          };
          do {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          } while (!has_killed && is_early());
        }
      }
      EXPECT_TRUE(sender->Flush(kPatience).ok());
    });
    std::string last = "0";
    for (int kill = 0; busy < kills && kill < 3 * kills; ++kill) {
      const auto daemon = Start();
      EXPECT_TRUE(daemon->Says("msg=ready")) << daemon->Log();
      const std::string before = StatusOf(*daemon, "/totals/records");
      last = before;
      // A daemon that has not learned anything yet gets more time: under a sanitizer it is slow.
      for (int more = 0; more < 20 && last == before; ++more) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20 + 7 * (kill % 23)));
        last = StatusOf(*daemon, "/totals/records");
      }
      daemon->Signal(SIGKILL);
      daemon->Wait();
      if (last != before) ++busy;
    }
    has_killed = true;
    producer.join();
    std::cout << busy << " kills of a busy daemon, the last one at record " << last << "\n";
    EXPECT_GE(busy, kills);
    const auto daemon = Start();
    WaitForRecords(*daemon, static_cast<std::int64_t>(messages.size()));
    ExpectSameAsReplay(*daemon, obeys);
  }
};

TEST_F(RunCrashTest, FiftyKillsOfABusyDaemonAreInvisible) { Kill(50, 100'000, 0.01, ""); }

TEST_F(RunCrashTest, KillsInModeActiveAreInvisibleToo) {
  Kill(20, 40'000, 0.002, "forgetting: {mode: active}\n");
}

TEST_F(RunCrashTest, KillsInModeRewindAreInvisibleToo) {
  Kill(20, 60'000, 0.01, "forgetting: {mode: rewind, retention: 20000}\n", true);
}

// No window ends here, so that a rewind may pass all events.
TEST_F(RunCrashTest, KillsInModeRetrainAreInvisibleToo) {
  Kill(10, 60'000, 0.01, "forgetting: {mode: retrain}\n", true);
}

TEST_F(RunCrashTest, ABrokerThatGoesAwayIsWaitedFor) {
  const auto messages = Generate(30'000, 0.01);
  // The stream is silent for so long that the clock would decide on notices, which no replay
  // repeats.
  Config("erasure: {max_lag: 1h}\n");
  const auto daemon = Start();
  ASSERT_TRUE(daemon->Says("msg=ready")) << daemon->Log();
  const std::size_t third = messages.size() / 3;
  for (int round = 0; round < 3; ++round) {
    const auto first = messages.begin() + static_cast<std::ptrdiff_t>(third) * round;
    Send({first, round == 2 ? messages.end() : first + static_cast<std::ptrdiff_t>(third)});
    // While it reads.
    Broker("stop");
    std::this_thread::sleep_for(std::chrono::seconds(round == 1 ? 30 : 2));
    EXPECT_TRUE(daemon->IsRunning()) << daemon->Log();
    Broker("start");
  }
  WaitForRecords(*daemon, static_cast<std::int64_t>(messages.size()));
  EXPECT_TRUE(daemon->Says("from=kafka", {})) << "nothing was said about the broker";
  ExpectSameAsReplay(*daemon);
}

TEST_F(RunCrashTest, WithoutABrokerItWaitsOrFailsFast) {
  Broker("stop");
  auto daemon = Start();
  EXPECT_TRUE(daemon->Says("waiting")) << daemon->Log();
  EXPECT_EQ(StatusOf(*daemon, "/ready"), "false");
  daemon->Signal(SIGTERM);
  EXPECT_EQ(daemon->Wait(), 0) << daemon->Log();
  daemon = Start({"--fail-fast"});
  EXPECT_EQ(daemon->Wait(), 69) << daemon->Log();
  Broker("start");
}

}  // namespace
}  // namespace lethe::testing::run_crash_test
