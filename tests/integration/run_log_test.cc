// What a daemon says, shows and names its files by never carries a payload, an id or a person; and
// it tells systemd when it is ready.

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/support/daemon_fixture.h"
#include "tests/support/http_client.h"

namespace lethe::testing::run_log_test {
namespace {

constexpr char kMark[] = "MARKED";
constexpr char kNumber[] = "0.31415926";  // a feature that nothing else contains

class RunLogTest : public DaemonTest {
 protected:
  void SendMarked() {
    std::vector<OutMessage> messages;
    const auto add = [&](const std::string& key, const std::string& value) {
      messages.push_back({topic, 0, key, value, {}});
    };
    const std::string x = std::string("[") + kNumber + ",0,0,0,0]";
    const std::string rest = R"(","x":)" + x + R"(,"y":1})";
    for (int i = 0; i < 50; ++i) {
      const std::string number = std::to_string(i);
      add("MARKED-person-" + number, R"({"type":"learn","id":"MARKED-id-)" + number + rest);
    }
    // Everything that can be wrong with a record.
    add("MARKED-a", "MARKED, no JSON at all");
    add("MARKED-b", R"({"type":"MARKED"})");
    add("MARKED-c", R"({"type":"learn","x":["MARKED"],"y":1})");
    add("MARKED-d", R"({"type":"learn","x":[9,9,9,9,9],"y":1,"MARKED":1})");
    add("MARKED-e", R"({"type":"delete","id":7,"request":"MARKED"})");
    add("MARKED-f", R"({"type":"learn","id":"MARKED-id-1","x":)" + x + R"(,"y":1})");
    add("MARKED-person-3", R"({"type":"delete","subject":"MARKED-person-3","request":"MARKED-r"})");
    add("MARKED-person-4", R"({"type":"delete","id":"MARKED-id-4"})");
    add("MARKED-nobody", R"({"type":"delete","subject":"MARKED-nobody"})");
    sent_ = messages.size();
    Send(messages);
  }

  static void ExpectClean(const std::string& text) {
    EXPECT_EQ(text.find(kMark), std::string::npos) << text;
    EXPECT_EQ(text.find(kNumber), std::string::npos) << text;
  }
};

TEST_F(RunLogTest, NothingThatIsSaidOrShownNamesAnybody) {
  SendMarked();
  for (const char* format : {"json", "logfmt"}) {
    const auto daemon = Start({"--log-format", format});
    WaitForRecords(*daemon, static_cast<std::int64_t>(sent_));
    for (const char* path : {"/metrics", "/v1/status", "/v1/shards", "/v1/nothing", "/-/ready"}) {
      ExpectClean(Get(Url(*daemon), path).body);
    }
    daemon->Signal(SIGTERM);
    ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
    ExpectClean(daemon->Log());
    EXPECT_FALSE(daemon->Log().empty());
  }
  for (const auto& entry : std::filesystem::recursive_directory_iterator(state_path)) {
    ExpectClean(entry.path().string());
  }
}

TEST_F(RunLogTest, EveryLineIsAnObjectAlsoTheLastOne) {
  const auto first = Start({"--log-format", "json"});
  ASSERT_TRUE(first->Says("\"msg\":\"ready\"")) << first->Log();
  const auto second = Start({"--log-format", "json"});  // the state has an owner
  EXPECT_EQ(second->Wait(), 65);
  first->Signal(SIGTERM);
  EXPECT_EQ(first->Wait(), 0);
  for (const std::string& log : {first->Log(), second->Log()}) {
    std::istringstream lines(log);
    for (std::string line; std::getline(lines, line);) {
      EXPECT_FALSE(Member(line, "/level").empty()) << line;
      EXPECT_FALSE(Member(line, "/time").empty()) << line;
    }
  }
  EXPECT_EQ(Member(second->Log(), "/level"), "error");
}

TEST_F(RunLogTest, TheServiceManagerHearsWhenItIsReadyAndWhenItStops) {
  const int listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (folder / "notify").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const timeval patience{60, 0};
  setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setenv("NOTIFY_SOCKET", path.c_str(), 1);
  const auto daemon = Start();
  unsetenv("NOTIFY_SOCKET");
  const auto hear = [&] {
    char text[512];
    const ssize_t size = recv(listener, text, sizeof text, 0);
    return std::string(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  };
  EXPECT_EQ(hear(), "READY=1\nSTATUS=ready") << daemon->Log();
  daemon->Signal(SIGTERM);
  EXPECT_EQ(hear(), "STOPPING=1\nSTATUS=stopping");
  EXPECT_EQ(daemon->Wait(), 0);
  close(listener);
}

}  // namespace
}  // namespace lethe::testing::run_log_test
