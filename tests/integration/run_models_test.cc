// What a daemon on a real broker says in its models topic.

#include <algorithm>
#include <csignal>

#include "tests/support/daemon_fixture.h"
#include "tests/support/http_client.h"

namespace lethe::testing::run_models_test {
namespace {

std::int64_t Number(const std::string& json, const std::string& pointer) {
  return std::stoll("0" + Member(json, pointer));
}

class RunModelsTest : public DaemonTest {
 protected:
  void SetUp() override {
    DaemonTest::SetUp();
    models_topic_ = NewTopic(1);
    Config("publish: {receipts_topic: " + receipts_topic + ", models_topic: " + models_topic_ +
           ", models_every: 1h}\n");
  }

  std::vector<std::string> Said(const std::string& key) {
    std::vector<std::string> values;
    for (const Message& message : ReadTopic(models_topic_)) {
      if (message.key == key) values.push_back(message.value);
    }
    return values;
  }

  // Learns 50 events of different people, forgets one of them, and stops.
  void Forget(int person) {
    Send({{topic,
           0,
           "user-" + std::to_string(person),
           R"({"type":"delete","subject":"user-)" + std::to_string(person) + "\"}",
           {}}});
    RunToTheEnd();
  }

  void RunToTheEnd() {
    const auto daemon = Start();
    WaitForRecords(*daemon, static_cast<std::int64_t>(ReadTopic(topic).size()));
    daemon->Signal(SIGTERM);
    ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  }

  std::string models_topic_;
};

TEST_F(RunModelsTest, ADeletionIsAnnouncedToWhoeverHoldsAnOlderModel) {
  std::vector<OutMessage> events;
  for (int i = 0; i < 50; ++i) {
    events.push_back({topic,
                      0,
                      "user-" + std::to_string(i),
                      R"({"type":"learn","x":[0.1,0.2,0,0,0.3],"y":1})",
                      {}});
  }
  Send(events);
  RunToTheEnd();
  EXPECT_TRUE(Said("clean/0").empty());
  ASSERT_FALSE(Said("model/0").empty());
  EXPECT_EQ(Member(Said("model/0").back(), "/clean_from"), "0");

  std::int64_t before = 0;
  for (const int person : {7, 8}) {
    Forget(person);
    const std::vector<std::string> notices = Said("clean/0");
    ASSERT_FALSE(notices.empty());
    const std::string& notice = notices.back();
    EXPECT_EQ(Member(notice, "/format"), "lethe.clean/1");
    EXPECT_EQ(Member(notice, "/shard"), "0");
    const std::int64_t clean_from = Number(notice, "/clean_from");
    EXPECT_GT(clean_from, before);
    before = clean_from;
    // The model that replaces the older ones is there too, and everything before it has to go.
    const std::vector<std::string> models = Said("model/0");
    EXPECT_EQ(Number(models.back(), "/clean_from"), clean_from);
    EXPECT_GE(Number(models.back(), "/model_version"), clean_from);
    EXPECT_LT(Number(models.front(), "/model_version"), clean_from);
    for (const std::string& line : notices) {
      EXPECT_EQ(line.find("user-"), std::string::npos) << line;
    }
  }
}

TEST_F(RunModelsTest, ANoticeThatACrashSwallowedComesWithTheNextStart) {
  Send({{topic, 0, "user-1", R"({"type":"learn","x":[0.1,0.2,0,0,0.3],"y":1})", {}}});
  RunToTheEnd();
  Forget(1);
  const std::size_t notices = Said("clean/0").size();
  ASSERT_GE(notices, 1U);
  RunToTheEnd();
  const std::vector<std::string> again = Said("clean/0");
  ASSERT_EQ(again.size(), notices + 1);
  EXPECT_EQ(again.back(), again.front());
}

// Early models are short and later ones long. The topic would take the early ones, and how many
// that are would depend on the events.
TEST_F(RunModelsTest, WhetherModelsFitFollowsFromTheConfigurationAlone) {
  models_topic_ = NewTopic(1, {{"max.message.bytes", "6000"}});
  Config("model: {dimension: 300}\npublish: {receipts_topic: " + receipts_topic +
         ", models_topic: " + models_topic_ + ", models_every: 1ms}\n");
  std::string x = "0";
  for (int i = 1; i < 300; ++i) x += ",0";
  Send({{topic, 0, "user-1", R"({"type":"learn","x":[)" + x + R"(],"y":1})", {}}});
  const auto daemon = Start();
  WaitForRecords(*daemon, 1);
  EXPECT_TRUE(daemon->Says("a model may have 9548 bytes, and topic " + models_topic_ +
                           " takes 6000: no model is published"))
      << daemon->Log();
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  EXPECT_TRUE(Said("model/0").empty());
}

TEST_F(RunModelsTest, AModelAboveTheLimitOfTheTopicStopsNothing) {
  models_topic_ = NewTopic(1, {{"max.message.bytes", "2000"}});
  Config("model: {dimension: 300}\npublish: {receipts_topic: " + receipts_topic +
         ", models_topic: " + models_topic_ + ", models_every: 1ms}\n");
  std::string x = "0.0123";
  for (int i = 1; i < 300; ++i) x += ",0.0123";
  std::vector<OutMessage> events;
  for (int i = 0; i < 50; ++i) {
    const std::string person = "user-" + std::to_string(i);
    events.push_back({topic, 0, person, R"({"type":"learn","x":[)" + x + R"(],"y":1})", {}});
  }
  events.push_back({topic, 0, "user-3", R"({"type":"delete","subject":"user-3"})", {}});
  Send(events);
  const auto daemon = Start();
  WaitForRecords(*daemon, 51);
  EXPECT_TRUE(daemon->Says("topic " + models_topic_ + " takes 2000: no model is published"))
      << daemon->Log();
  EXPECT_NE(Get(Url(*daemon), "/metrics").body.find("lethe_models_too_large_total{shard=\"0\"} "),
            std::string::npos);
  EXPECT_EQ(
      Get(Url(*daemon), "/metrics").body.find("lethe_models_too_large_total{shard=\"0\"} 0\n"),
      std::string::npos);
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();
  // The notice that older models have to go is small, and arrives.
  EXPECT_FALSE(Said("clean/0").empty());
}

}  // namespace
}  // namespace lethe::testing::run_models_test
