// What a daemon publishes is signed, with one key after another, and the chain stays what a replay
// makes of the same records.

#include <test_paths.h>

#include <algorithm>
#include <csignal>

#include <gtest/gtest.h>

#include "app/receipts/key_file.h"
#include "connectors/json/base64.h"
#include "connectors/json/envelope.h"
#include "tests/support/daemon_fixture.h"

namespace lethe::testing::run_signing_test {
namespace {

class RunSigningTest : public DaemonTest {
 protected:
  // `lethe receipts WORD STATE FLAGS`: what it prints.
  std::string Receipts(const std::string& word, const std::vector<std::string>& flags = {},
                       int exit_code = 0) {
    std::vector<std::string> words = {LETHE_BINARY, "receipts", word, state_path.string()};
    words.insert(words.end(), flags.begin(), flags.end());
    Process process(words, (folder / "receipts-log").string());
    EXPECT_EQ(process.Wait(), exit_code) << process.Log();
    return process.Output();
  }
};

TEST_F(RunSigningTest, ARotationIsAnEntryOfTheChain) {
  ReadSome(300);
  const std::string old_key = Receipts("key");
  const auto before = PublishedChain();
  Receipts("rotate-key");
  const std::string middle_key = Receipts("key");
  Receipts("rotate-key");
  const std::string new_key = Receipts("key");
  ReadSome(300);
  const auto after = PublishedChain();
  ASSERT_GT(after.size(), before.size() + 2);
  const std::string& first = after[before.size()];
  const std::string& second = after[before.size() + 1];
  EXPECT_EQ(Member(first, "/status"), "key") << first;
  EXPECT_EQ(Member(first, "/old_key"), old_key);
  EXPECT_EQ(Member(first, "/new_key"), middle_key);
  EXPECT_EQ(Member(second, "/old_key"), middle_key);
  EXPECT_EQ(Member(second, "/new_key"), new_key);
  Receipts("verify");
  // One that runs cannot be given another key.
  const auto daemon = Start();
  ASSERT_TRUE(daemon->Says("msg=ready")) << daemon->Log();
  Receipts("rotate-key", {}, 65);
  EXPECT_EQ(Receipts("key"), new_key);
  daemon->Signal(SIGTERM);
  EXPECT_EQ(daemon->Wait(), 0);
  EXPECT_EQ(PublishedChain(), after);
}

TEST_F(RunSigningTest, ALostKeyIsReplacedAndTheChainSaysSo) {
  ReadSome(300);
  const std::string old_key = Receipts("key");
  const auto before = PublishedChain();
  std::filesystem::remove(KeyFile::PathIn(state_path.string()));
  ReadSome(100);
  const auto after = PublishedChain();
  ASSERT_GT(after.size(), before.size());
  EXPECT_EQ(Member(after[before.size()], "/old_key"), old_key);
  EXPECT_EQ(Member(after[before.size()], "/new_key"), Receipts("key"));
  const std::string keys = Receipts("key", {"--json"});
  EXPECT_NE(keys.find(old_key), std::string::npos) << keys;
}

TEST_F(RunSigningTest, AMovedShardGoesOnWithTheKeyOfItsNewHome) {
  ReadSome(300);
  const std::string old_key = Receipts("key");
  const auto before = PublishedChain();
  const auto old_home = state_path;
  state_path = folder / "new-home";
  std::filesystem::create_directory(state_path);
  std::filesystem::rename(old_home / "shard-0", state_path / "shard-0");
  Config();
  ReadSome(300);
  const auto after = PublishedChain();
  ASSERT_GT(after.size(), before.size() + 1);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
  EXPECT_EQ(Member(after[before.size()], "/old_key"), old_key);
  EXPECT_EQ(Member(after[before.size()], "/new_key"), Receipts("key"));
  Receipts("verify");
}

TEST_F(RunSigningTest, TheTopicCanCarryEnvelopes) {
  Config("publish: {receipts_topic: " + receipts_topic + ", envelopes: true}\n");
  ReadSome(300);
  const PublicKey key = PublicKey::FromText(Receipts("key")).value();
  std::vector<std::string> payloads;
  for (const std::string& value : PublishedChain()) {
    const auto envelope = ReadEnvelope(value);
    ASSERT_TRUE(envelope.ok()) << value;
    EXPECT_TRUE(envelope.value().IsSignedBy(key));
    payloads.push_back(envelope.value().payload);
  }
  EXPECT_FALSE(payloads.empty());
  EXPECT_EQ(payloads, Replay(RecordTopic(topic)).chain);
  // The fence recognises its own chain, and a client that waits finds the receipt.
  const auto daemon = Start();
  ASSERT_TRUE(daemon->Says("msg=ready")) << daemon->Log();
  LetheDone({"forget", "nobody", "--wait"});
  daemon->Signal(SIGTERM);
  EXPECT_EQ(daemon->Wait(), 0) << daemon->Log();
}

}  // namespace
}  // namespace lethe::testing::run_signing_test
