// What was refused is listed without its contents; and when it cannot be put aside, nothing goes
// on.

#include <csignal>
#include <map>
#include <thread>

#include "connectors/kafka/cluster.h"
#include "tests/support/daemon_fixture.h"

namespace lethe::testing::dead_letters_test {
namespace {

class DeadLettersTest : public DaemonTest {
 protected:
  std::vector<OutMessage> SomeBad() {
    return {{topic, 0, "user-1", R"({"type":"learn","id":"secret-a","x":[1],"y":1})", {}},
            {topic, 0, "user-2", R"({"type":"learn","id":"b","x":[0.1,0,0,0,0],"y":1})", {}},
            {topic, 0, "user-3", R"({"type":"learn","id":"secret-c","x":[1,2],"y":1})", {}},
            {topic, 0, "user-4", R"({"type":"delete","request":17)", {}}};
  }
  void MakeTopic(const std::string& name) {
    Status made;
    for (int i = 0; i < 20; ++i) {
      made = Admin().CreateTopic(name, 1, {}, kPatience);
      if (made.ok()) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
    }
    FAIL() << made.message();
  }

  // A record that cannot be learned, with a value of so many bytes.
  OutMessage Bad(std::size_t bytes, const std::string& key = "user-1") {
    return {topic, 0, key, std::string(bytes, 'x'), {}};
  }
  OutMessage Good(int number) {
    OutMessage message = Learn(topic, number);
    message.value = R"({"type":"learn","x":[0.1,0.2,0,0,0.3],"y":1})";
    return message;
  }
  // Sends the bad ones and 20 good records behind them, and lets a daemon read all of it.
  void ReadBehind(std::vector<OutMessage> bad) {
    const std::size_t count = bad.size() + 20;
    for (int i = 0; i < 20; ++i) bad.push_back(Good(i));
    Send(bad, With("message.max.bytes", "1048588"));
    const auto daemon = Start();
    WaitForRecords(*daemon, static_cast<std::int64_t>(count));
    EXPECT_EQ(StatusOf(*daemon, "/totals/learned"), "20");
    daemon->Signal(SIGTERM);
    ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  }
  std::vector<FoundMessage> Letters() {
    auto cluster = KafkaCluster::Open(Settings(), {}).value();
    const OffsetRange range = cluster->Range(dead_topic, 0, kPatience).value();
    std::vector<FoundMessage> all;
    const Status status =
        cluster->ForEach(dead_topic, 0, range, kPatience, [&](const FoundMessage& message) {
          all.push_back(message);
          return true;
        });
    EXPECT_TRUE(status.ok()) << status.message();
    return all;
  }
  static std::string Header(const FoundMessage& message, const std::string& name) {
    for (const auto& [key, value] : message.headers) {
      if (key == "__lethe.errors." + name) return value;
    }
    return "";
  }
};

TEST_F(DeadLettersTest, AreListedByReasonWithPlacesAndWithoutPayloads) {
  Config("dead_letter: {topic: " + dead_topic + ", payload: true}\n");
  Send(SomeBad());
  Send({{dead_topic, 0, "k", "somebody else's", {}}});
  const auto daemon = Start();
  WaitForRecords(*daemon, 4);
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  const auto json = LetheDone({"dead-letters", "list", "--json", "--last", "1"});
  EXPECT_EQ(Member(json->Output(), "/total"), "3");
  EXPECT_EQ(Member(json->Output(), "/foreign"), "1");
  EXPECT_EQ(Member(json->Output(), "/reasons/0/reason"), "malformed");
  EXPECT_EQ(Member(json->Output(), "/reasons/0/requests"), "1");
  EXPECT_EQ(Member(json->Output(), "/reasons/1/reason"), "wrong_dimension");
  EXPECT_EQ(Member(json->Output(), "/reasons/1/count"), "2");
  EXPECT_EQ(Member(json->Output(), "/reasons/1/last/0/offset"), "2");
  EXPECT_EQ(Member(json->Output(), "/reasons/1/last/1"), "");
  const auto text = LetheDone({"dead-letters", "list"});
  EXPECT_NE(text->Output().find(topic + "/0/2"), std::string::npos) << text->Output();
  for (const std::string& output : {json->Output(), text->Output()}) {
    EXPECT_EQ(output.find("secret"), std::string::npos) << output;
    EXPECT_EQ(output.find("user-"), std::string::npos) << output;
  }
}

TEST_F(DeadLettersTest, ATopicThatIsGoneStopsTheDaemonAndNothingIsLost) {
  auto daemon = Start();
  ASSERT_TRUE(daemon->Says("msg=ready")) << daemon->Log();
  ASSERT_TRUE(DeleteTopic(Settings(), dead_topic, kPatience).ok());
  std::this_thread::sleep_for(std::chrono::seconds(1));
  Send(SomeBad());
  EXPECT_EQ(daemon->Wait(), 78) << daemon->Log();
  EXPECT_TRUE(daemon->Says("cannot write to topic " + dead_topic, {})) << daemon->Log();
  LetheDone({"dead-letters", "list"}, 69);
  MakeTopic(dead_topic);
  daemon = Start();
  WaitForRecords(*daemon, 4);
  EXPECT_EQ(StatusOf(*daemon, "/totals/learned"), "1");
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  EXPECT_EQ(ReadTopic(dead_topic).size(), 3u);
  EXPECT_EQ(PublishedChain().size(), 1u);
}

TEST_F(DeadLettersTest, ALetterAboveTheLimitOfTheClientArrivesWhole) {
  Config("dead_letter: {topic: " + dead_topic + ", payload: true}\n");
  ReadBehind({Bad(1'020'000)});
  const auto letters = Letters();
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters[0].value.value_or("").size(), 1'020'000u);
  EXPECT_EQ(Header(letters[0], "left_out"), "");
}

TEST_F(DeadLettersTest, ALetterAboveTheLimitOfTheTopicArrivesWithoutItsPayload) {
  Config("dead_letter: {topic: " + dead_topic + ", payload: true}\n");
  // With the headers of a dead letter it is larger than the 1,048,588 bytes that a topic takes.
  ReadBehind({Bad(1'048'400), Bad(500'000, std::string(548'400, 'k'))});
  const auto letters = Letters();
  ASSERT_EQ(letters.size(), 2u);
  EXPECT_EQ(letters[0].key, "user-1");
  EXPECT_EQ(letters[0].value.value_or("").size(), 0u);
  EXPECT_EQ(Header(letters[0], "offset"), "0");
  EXPECT_EQ(Header(letters[0], "reason"), "malformed");
  EXPECT_EQ(Header(letters[0], "left_out"), "payload");
  EXPECT_FALSE(letters[1].key.has_value());
  EXPECT_EQ(Header(letters[1], "offset"), "1");
  EXPECT_EQ(Header(letters[1], "left_out"), "payload, key");
}

TEST_F(DeadLettersTest, ATopicOfSmallRecordsTakesManyLettersAtOnce) {
  dead_topic = NewTopic(1, {{"max.message.bytes", "2000"}});
  Config("dead_letter: {topic: " + dead_topic + ", payload: true}\n");
  std::vector<OutMessage> bad(200, Bad(100));
  bad.push_back(Bad(5000));
  ReadBehind(bad);
  const auto letters = Letters();
  ASSERT_EQ(letters.size(), 201u);
  std::map<std::string, int> left_out;
  for (const FoundMessage& letter : letters) ++left_out[Header(letter, "left_out")];
  EXPECT_EQ(left_out, (std::map<std::string, int>{{"", 200}, {"payload", 1}}));
}

}  // namespace
}  // namespace lethe::testing::dead_letters_test
