// What is forgotten is gone from the disk: a search through every byte of the state directory finds
// the marked events before the deletion and nothing of them after it, while learning goes on.

#include <test_paths.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>

#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "engine/admission/pseudonymizer.h"
#include "tests/support/daemon_fixture.h"

namespace lethe::testing::run_erasure_test {
namespace {

constexpr char kSubject[] = "marker-person-4711";
constexpr char kId[] = "marker-event-0815";
constexpr double kMark = 0.123456789012345;

template <typename T>
std::string Bytes(const T& value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

class RunErasureTest : public DaemonTest {
 protected:
  // What must not be there any more: raw, as ledger names, as numbers, as text.
  std::map<std::string, std::string> Marks() {
    SeededRandom random(11);
    const SodiumHasher hasher;
    const Pseudonymizer names(hasher, ShardIdentity::New({0}, random));
    return {{"id", kId},
            {"subject", kSubject},
            {"id under the ledger key", Bytes(names.Id(kId)).substr(0, 8)},
            {"subject under the ledger key", Bytes(names.Subject(kSubject)).substr(0, 7)},
            {"float64", Bytes(kMark)},
            {"float32", Bytes(static_cast<float>(kMark))},
            {"text", "0.123456789012345"}};
  }

  // Which marks are found in the files of the state, and where.
  std::map<std::string, std::string> Search() {
    std::map<std::string, std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(state_path)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::ostringstream text;
      text << file.rdbuf();
      for (const auto& [name, bytes] : Marks()) {
        if (text.str().find(bytes) != std::string::npos) found[name] = entry.path().filename();
      }
    }
    return found;
  }

  std::string MarkedEvent() {
    return std::string(R"({"type":"learn","id":")") + kId +
           R"(","x":[0.123456789012345,0.1,-0.1,0.2,0.3],"y":1})";
  }

  // The marked event is deleted, or expires without a request.
  void Story(const std::string& more, const std::vector<std::string>& must_be_there,
             bool is_deleted = true) {
    Config("erasure: {max_lag: 2s}\n" + more);
    const auto messages = Generate(60'000, 0.002);
    std::int64_t sent = 0;
    const auto send = [&](std::size_t from, std::size_t to) {
      Send({messages.begin() + static_cast<std::ptrdiff_t>(from),
            messages.begin() + static_cast<std::ptrdiff_t>(to)});
      sent += static_cast<std::int64_t>(to - from);
    };
    const auto daemon = Start();
    send(0, 10'000);
    Send({{topic, 0, kSubject, MarkedEvent(), {}}});
    ++sent;
    send(10'000, 30'000);
    WaitForRecords(*daemon, sent);
    const auto before = Search();
    for (const std::string& name : must_be_there) {
      EXPECT_EQ(before.count(name), 1u) << "not found while it should be: " << name;
    }
    if (is_deleted) {
      Send({{topic,
             0,
             kSubject,
             R"({"type":"delete","subject":")" + std::string(kSubject) + R"("})",
             {}}});
      ++sent;
    }
    // Learning goes on.
    for (std::size_t at = 30'000; at < 60'000; at += 1000) {
      send(at, at + 1000);
      std::this_thread::sleep_for(std::chrono::milliseconds(120));
    }
    WaitForRecords(*daemon, sent);
    const auto after = Search();
    for (const auto& [name, file] : after) ADD_FAILURE() << name << " is still in " << file;
    ASSERT_TRUE(daemon->IsRunning()) << daemon->Log();
    bool is_noticed = false;
    for (int i = 0; i < 100 && !is_noticed; ++i) {
      for (const std::string& entry : PublishedChain()) {
        is_noticed |= entry.find("\"status\":\"erased\"") != std::string::npos;
      }
      if (!is_noticed) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    EXPECT_TRUE(is_noticed);
    daemon->Signal(SIGTERM);
    ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
    // And a state with erased rows is resumed.
    const auto again = Start();
    WaitForRecords(*again, sent);
    again->Signal(SIGTERM);
    ASSERT_EQ(again->Wait(), 0) << again->Log();
    EXPECT_TRUE(Search().empty());
  }
};

std::string Output(const std::string& command) {
  std::string text;
  FILE* const pipe = popen((command + " 2>&1").c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  pclose(pipe);
  return text;
}

TEST_F(RunErasureTest, ASnapshotThatKnewADeletedEventIsDestroyed) {
  Config("state: {path: " + state_path.string() + ", snapshot_every: 1000, commit_events: 100}\n");
  const auto messages = Generate(4000, 0);
  const auto count = [&] {
    std::size_t files = 0;
    std::error_code ignored;
    for (const auto& entry :
         std::filesystem::directory_iterator(state_path / "shard-0" / "snapshots", ignored)) {
      files += entry.is_regular_file() ? 1 : 0;
    }
    return files;
  };
  const auto daemon = Start();
  Send({messages.begin(), messages.begin() + 2500});
  WaitForRecords(*daemon, 2500);
  EXPECT_EQ(count(), 2u);
  // The event that was learned last is in none of them; the first one is in both.
  Send({{topic, 0, "x", R"({"type":"delete","id":"e-2499"})", {}}});
  WaitForRecords(*daemon, 2501);
  EXPECT_EQ(count(), 2u);
  Send({{topic, 0, "x", R"({"type":"delete","id":"e-0"})", {}}});
  WaitForRecords(*daemon, 2502);
  EXPECT_EQ(count(), 0u);
  Send({messages.begin() + 2500, messages.end()});
  WaitForRecords(*daemon, 4002);
  EXPECT_EQ(count(), 2u);

  const std::string lethe = std::string(LETHE_BINARY) + " state ";
  const std::string where = " " + state_path.string();
  EXPECT_NE(Output(lethe + "list" + where).find(" 4002 "), std::string::npos);
  EXPECT_NE(Output(lethe + "show" + where).find("\"forgotten_events\":2"), std::string::npos);
  EXPECT_NE(Output(lethe + "verify" + where).find("holds"), std::string::npos);
  EXPECT_NE(Output(lethe + "wipe --yes --shard 0" + where).find("in use"), std::string::npos);
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  EXPECT_NE(Output(lethe + "wipe --shard 0" + where).find("--yes"), std::string::npos);
  EXPECT_NE(Output(lethe + "wipe --yes --shard 0" + where).find("is gone"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(state_path / "shard-0"));
}

TEST_F(RunErasureTest, NothingOfADeletedEventIsLeftInModePassive) {
  Story("", {"id under the ledger key", "subject under the ledger key"});
}

TEST_F(RunErasureTest, NothingOfADeletedEventIsLeftInModeActive) {
  Story("forgetting: {mode: active}\n",
        {"id under the ledger key", "subject under the ledger key", "float64"});
}

TEST_F(RunErasureTest, NothingOfADeletedEventIsLeftInModeRewind) {
  Story("forgetting: {mode: rewind, retention: 80000}\n",
        {"id under the ledger key", "subject under the ledger key", "float64"});
}

// The slide at 32,000 events drops those before 16,000.
TEST_F(RunErasureTest, NothingOfAnExpiredEventIsLeftInModeRewind) {
  Story("forgetting: {mode: rewind, retention: 32000}\n",
        {"id under the ledger key", "subject under the ledger key", "float64"}, false);
}

}  // namespace
}  // namespace lethe::testing::run_erasure_test
