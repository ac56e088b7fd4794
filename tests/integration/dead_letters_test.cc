// What was refused is listed without its contents; and when it cannot be put aside, nothing goes
// on.

#include <csignal>
#include <thread>

#include "tests/support/daemon_fixture.h"

namespace lethe::testing {
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
  ASSERT_TRUE(Admin().DeleteTopic(dead_topic, kPatience).ok());
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

}  // namespace
}  // namespace lethe::testing
