// Records with a timestamp in the future: nobody waits for that future to come, and a replay of
// what `lethe record` writes decides as the daemon did.

#include <csignal>

#include "connectors/system/system_clock.h"
#include "tests/support/daemon_fixture.h"
#include "tests/support/http_client.h"

namespace lethe::testing::run_clock_test {
namespace {

class RunClockTest : public DaemonTest {
 protected:
  OutMessage Learn(const std::string& id) const {
    return {
        topic, 0, "user", R"({"type":"learn","id":")" + id + R"(","x":[0.1,0,0,0,0],"y":1})", {}};
  }
  OutMessage Delete(const std::string& id) const {
    return {topic, 0, "user", R"({"type":"delete","id":")" + id + R"("})", {}};
  }
  // As far ahead as a broker accepts by default.
  OutMessage FromTheFuture() const {
    OutMessage message = Learn("from the future");
    message.timestamp_ms = SystemClock().NowMs() + 58 * 60 * 1000;
    return message;
  }

  std::size_t Count(const std::string& text) {
    std::size_t count = 0;
    for (const std::string& entry : PublishedChain()) {
      count += entry.find(text) != std::string::npos ? 1 : 0;
    }
    return count;
  }
};

TEST_F(RunClockTest, RefusalsDoNotExpireAndAReplayDecidesTheSame) {
  Config("erasure: {refuse_late_for: 10m}\n");
  Send({Learn("a"), Delete("a"), FromTheFuture(), Learn("a"), Learn("b")});
  const auto daemon = Start();
  WaitForRecords(*daemon, 5);
  EXPECT_EQ(StatusOf(*daemon, "/totals/refused_late"), "1");
  EXPECT_NE(Get(Url(*daemon), "/metrics").body.find("lethe_records_ahead_total{shard=\"0\"} 1\n"),
            std::string::npos);
  const std::string model = Model(*daemon);
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  EXPECT_EQ(Count("\"status\":\"clock\""), 1u);
  const Replayed replayed = Replay(RecordTopic(topic));
  EXPECT_EQ(model, replayed.model);
  EXPECT_EQ(PublishedChain(), replayed.chain);
}

TEST_F(RunClockTest, ADeadlineInTimePasses) {
  Config("forgetting: {mode: passive, deadline: 2s}\n");
  const auto daemon = Start();
  Send({FromTheFuture(), Learn("a"), Delete("a")});
  WaitForRecords(*daemon, 3);
  bool is_effective = false;
  for (int i = 0; i < 600 && !is_effective; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    is_effective = Count("\"outcome\":\"forgotten\"") == 1;
  }
  EXPECT_TRUE(is_effective);
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
}

}  // namespace
}  // namespace lethe::testing::run_clock_test
