// Requests and events in every order that a topic may bring them: each has exactly one outcome, and
// it is the right one.

#include <csignal>
#include <map>

#include "tests/support/daemon_fixture.h"

namespace lethe::testing::run_outcomes_test {
namespace {

constexpr int kSubjects = 1000;
constexpr int kForgotten = 500;  // the first of them
constexpr int kEventsEach = 100;
constexpr int kEarly = 50;

class RunOutcomesTest : public DaemonTest {
 protected:
  OutMessage Learn(const std::string& subject, const std::string& id, double x) {
    return {topic,
            0,
            subject,
            R"({"type":"learn","id":")" + id + R"(","x":[0.5,)" + std::to_string(x) +
                R"(,0,0.1,0],"y":1})",
            {}};
  }
  OutMessage Delete(const std::string& subject, const std::string& id) {
    return {topic,
            0,
            subject,
            id.empty() ? R"({"type":"delete"})" : R"({"type":"delete","id":")" + id + R"("})",
            {}};
  }
  static std::string Subject(int number) { return "user-" + std::to_string(number); }

  // Deletes before their learns, events of many subjects in turn, half of the subjects deleted by
  // name, and then once more, and an event of a deleted subject once more by its id.
  std::vector<OutMessage> Stream() {
    std::vector<OutMessage> messages;
    for (int i = 0; i < kEarly; ++i) messages.push_back(Delete("", "early-" + std::to_string(i)));
    for (int i = 0; i < kEarly; ++i) {
      messages.push_back(Learn("late", "early-" + std::to_string(i), 0.3));
    }
    for (int e = 0; e < kEventsEach; ++e) {
      for (int s = 0; s < kSubjects; ++s) {
        messages.push_back(
            Learn(Subject(s), std::to_string(s) + "-" + std::to_string(e), 0.0005 * (s + e) - 0.2));
      }
    }
    for (int times = 0; times < 2; ++times) {
      for (int s = 0; s < kForgotten; ++s) messages.push_back(Delete(Subject(s), ""));
    }
    messages.push_back(Delete(Subject(7), "7-42"));
    return messages;
  }
};

TEST_F(RunOutcomesTest, EachRecordOfATopicProducedTwiceHasItsOutcome) {
  Config("erasure: {max_lag: 1h}\n");
  const auto daemon = Start();
  const auto messages = Stream();
  Send(messages);
  WaitForRecords(*daemon, static_cast<std::int64_t>(messages.size()));
  const std::string once = Model(*daemon);
  Send(messages);
  WaitForRecords(*daemon, 2 * static_cast<std::int64_t>(messages.size()));
  EXPECT_EQ(Member(Model(*daemon), "/weights"), Member(once, "/weights"));

  const auto total = [&](const char* name) {
    return StatusOf(*daemon, std::string("/totals/") + name);
  };
  EXPECT_EQ(total("learned"), std::to_string(kSubjects * kEventsEach));
  EXPECT_EQ(total("duplicates"), std::to_string((kSubjects - kForgotten) * kEventsEach));
  EXPECT_EQ(total("refused_late"), std::to_string(kForgotten * kEventsEach + 2 * kEarly));
  EXPECT_EQ(total("forgotten_events"), std::to_string(kForgotten * kEventsEach));

  const std::string model = Model(*daemon);
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();  // by then every receipt has arrived

  std::map<std::string, int> outcomes;
  for (const std::string& entry : PublishedChain()) {
    if (Member(entry, "/format") != "lethe.receipt/1") continue;
    const std::string outcome = Member(entry, "/outcome");
    ++outcomes[outcome];
    EXPECT_EQ(Member(entry, "/events"), outcome == "forgotten" ? std::to_string(kEventsEach) : "0");
  }
  const std::map<std::string, int> expected{{"forgotten", kForgotten},
                                            {"already_forgotten", 3 * kForgotten + 2},
                                            {"nothing_learned", 2 * kEarly}};
  EXPECT_EQ(outcomes, expected);

  const Replayed replayed = Replay(RecordTopic(topic));
  EXPECT_EQ(model, replayed.model);
  EXPECT_EQ(PublishedChain(), replayed.chain);
}

}  // namespace
}  // namespace lethe::testing::run_outcomes_test
