// `lethe record`: what it writes is what a live run reads, broken records and gaps included.

#include <csignal>
#include <fstream>

#include "tests/support/daemon_fixture.h"

namespace lethe::testing::record_test {
namespace {

std::vector<std::string> Lines(const std::filesystem::path& path) {
  std::vector<std::string> lines;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class RecordTest : public DaemonTest {
 protected:
  // Sound events of one or two partitions, with broken ones in between.
  void Fill(std::int32_t partitions = 2) {
    topic = NewTopic(partitions);
    Config();
    auto messages = Generate(2'000, 0.05);
    const std::string not_utf8 = "\xc3\x28";
    const std::string prefix("\0\0\0\0\7", 5);
    for (std::size_t i = 0; i < messages.size(); ++i) {
      messages[i].topic = topic;
      messages[i].partition = static_cast<std::int32_t>(i) % partitions;
    }
    for (const std::int32_t number : {1, 0, 1}) {
      const std::int32_t partition = number % partitions;
      for (const std::optional<std::string>& bad : std::vector<std::optional<std::string>>{
               "not JSON", "", "{\"type\":\"delete\",\"id\":\"e", std::string(40, '\0'), not_utf8,
               "[1,2]", "{\"type\":\"delete\",\n\"id\":17.5}", "{\"type\":\"learn\"\n}",
               "{\"type\":\"learn\",\"id\":\"" + not_utf8 + "\"}", "\xb1\x01\x02",
               prefix + R"({"type":"delete","id":"nobody"})", "null", "\"text\"", std::nullopt}) {
        messages.insert(messages.begin() + 500, {topic, partition, "user-1", bad, {}});
      }
      messages.push_back({topic, partition, std::nullopt, std::nullopt, {}});
      messages.push_back({topic, partition, not_utf8, R"({"type":"delete","id":"e-9"})", {}});
    }
    Send(messages);
    records_ = static_cast<std::int64_t>(messages.size());
  }

  std::int64_t records_ = 0;
};

// One partition: with several, a request that finds nothing is looked up in the others, and what
// its receipt says of that depends on how far they are.
TEST_F(RecordTest, AReplayOfItEqualsTheRunBrokenRecordsIncluded) {
  Fill(1);
  const auto daemon = Start();
  WaitForRecords(*daemon, records_);
  const std::string model = Model(*daemon);
  const std::string rejected = StatusOf(*daemon, "/totals/rejected");
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  std::map<std::string, std::vector<std::string>> live;  // by shard
  for (const std::string& entry : PublishedChain()) live[Member(entry, "/shard")].push_back(entry);
  for (const char* name : {"all.ndjson", "all.ndjson.gz", "all.ndjson.zst"}) {
    const auto file = folder / name;
    const auto done = LetheDone({"record", "--out", file.string(), "--json"});
    EXPECT_EQ(Member(done->Output(), "/records"), std::to_string(records_));
    EXPECT_EQ(Member(done->Output(), "/not_kept"), "0");
    const Replayed replayed = Replay(file);
    EXPECT_EQ(replayed.model, model);
    EXPECT_EQ(Member(replayed.summary, "/rejected"), rejected);
    EXPECT_EQ(replayed.chains.size(), 1u);
    EXPECT_EQ(replayed.chains, live);
  }
}

TEST_F(RecordTest, TheBinaryFormKeepsWhatCanBeRead) {
  Fill();
  const auto file = folder / "all.lethe";
  const auto done = LetheDone({"record", "--out", file.string(), "--json"});
  EXPECT_EQ(std::stoll(Member(done->Output(), "/records")) +
                std::stoll(Member(done->Output(), "/not_kept")),
            records_);
  EXPECT_GT(std::stoll(Member(done->Output(), "/not_kept_requests")), 0);
  EXPECT_TRUE(done->Says("could not be kept", {}));
  const auto text = folder / "all.ndjson";
  LetheDone({"record", "--out", text.string()});
  EXPECT_EQ(Replay(file).model, Replay(text).model);
}

TEST_F(RecordTest, ARangeOfAPartition) {
  Fill();
  const auto file = folder / "part.ndjson";
  const auto done = LetheDone({"record", topic, "--partition", "1", "--from", "10", "--to", "20",
                               "--out", file.string(), "--json"});
  EXPECT_EQ(Member(done->Output(), "/records"), "10");
  const auto lines = Lines(file);
  ASSERT_EQ(lines.size(), 10u);
  EXPECT_EQ(Member(lines.front(), "/offset"), "10");
  EXPECT_EQ(Member(lines.back(), "/offset"), "19");
  EXPECT_EQ(Member(lines.back(), "/partition"), "1");
  EXPECT_EQ(std::filesystem::status(file).permissions() & std::filesystem::perms::group_read,
            std::filesystem::perms::none);
}

TEST_F(RecordTest, AnErrorLeavesNoFile) {
  const auto file = folder / "none.ndjson";
  const std::string out = file.string();
  EXPECT_TRUE(LetheDone({"record", "--out", out}, 65)->Says("has no record", {}));
  EXPECT_TRUE(LetheDone({"record", UniqueTopic(), "--out", out}, 69)->Says("does not exist", {}));
  LetheDone({"record", "--partition", "1", "--out", out}, 64);
  LetheDone({"record", "--from", "5", "--to", "5", "--out", out}, 64);
  Send(Generate(300, 0));
  ASSERT_TRUE(DeleteRecordsBefore(Settings(), topic, 0, {100}, kPatience).ok());
  EXPECT_TRUE(LetheDone({"record", "--from", "0", "--out", out}, 65)->Says("is gone", {}));
  LetheDone({"record", "--out", (folder / "no-such-folder" / "x.ndjson").string()}, 74);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_EQ(entry.path().filename().string().find("none"), std::string::npos) << entry.path();
  }
  LetheDone({"record", "--out", out});
  EXPECT_EQ(Lines(file).size(), 200u);
}

}  // namespace
}  // namespace lethe::testing::record_test
