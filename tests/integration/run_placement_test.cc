// Requests that do not stand where their events were learned: over two processes, over restarts,
// whatever placed the events and whatever bytes the keys are.

#include "tests/support/routing_fixture.h"

namespace lethe::testing::run_placement_test {
namespace {

class RunPlacementTest : public RunRoutingTest {
 protected:
  static constexpr int kPartitions = 6;

  void SetUp() override {
    RunRoutingTest::SetUp();
    topic = NewTopic(kPartitions);
    ConfigureTwo();
  }
  void StartBoth() {
    for (int ordinal = 0; ordinal < 2; ++ordinal) daemons_[ordinal] = StartOf(ordinal);
  }
  void StopBoth() {
    for (const auto& daemon : daemons_) Stop(*daemon);
  }
  void SendAndWait(const std::vector<OutMessage>& messages) {
    Send(messages);
    WaitForQuiet({daemons_[0].get(), daemons_[1].get()});
  }
  std::int64_t Total(const std::string& name) {
    std::int64_t total = 0;
    for (const auto& daemon : daemons_) {
      total += std::atoll(StatusOf(*daemon, "/totals/" + name).c_str());
    }
    return total;
  }
  std::int64_t Messages() {
    auto cluster = KafkaCluster::Open(Settings(), {}).value();
    std::int64_t total = 0;
    for (std::int32_t p = 0; p < *cluster->PartitionCount(topic, kPatience).value(); ++p) {
      total += cluster->Range(topic, p, kPatience).value().next.value;
    }
    return total;
  }
  static std::string Person(int number) { return "person-" + std::to_string(number); }

  std::unique_ptr<Process> daemons_[2];
};

// The majority of a person's events are where the request goes, the rest are in another process.
TEST_F(RunPlacementTest, AfterARestartEverythingOfAPersonIsStillForgotten) {
  StartBoth();
  SendAndWait(MixedLearns(kPartitions));
  StopBoth();
  StartBoth();
  SendAndWait(Deletes(kPartitions, "murmur2"));
  StopBoth();
  ExpectAllForgotten();
}

TEST_F(RunPlacementTest, ARequestKeyedByItsReferenceReachesTheSubject) {
  constexpr int kPeople = 40;
  StartBoth();
  std::vector<OutMessage> learns;
  std::vector<OutMessage> deletes;
  for (int i = 0; i < kPeople; ++i) {
    learns.push_back(
        LearnOf(Person(i), "e-" + std::to_string(i), PlaceOf(Person(i), "murmur2", kPartitions)));
    const std::string reference = "r-" + std::to_string(i);
    deletes.push_back(
        {topic,
         PlaceOf(reference, "murmur2", kPartitions),
         reference,
         R"({"type":"delete","subject":")" + Person(i) + R"(","request":")" + reference + R"("})",
         {}});
  }
  SendAndWait(learns);
  SendAndWait(deletes);
  EXPECT_EQ(Total("forgotten_events"), kPeople);
  StopBoth();
  for (const auto& [request, ending] : Endings()) EXPECT_EQ(ending.events, 1) << request;
}

// Learned without a key, so that no rule says where.
TEST_F(RunPlacementTest, EventsWithoutAKeyAreFoundByTheirSubject) {
  constexpr int kPeople = 30;
  StartBoth();
  std::vector<OutMessage> learns;
  std::vector<OutMessage> deletes;
  for (int i = 0; i < kPeople; ++i) {
    for (int e = 0; e < 2; ++e) {
      learns.push_back({topic,
                        (i + 3 * e) % kPartitions,
                        std::nullopt,
                        R"({"type":"learn","id":"e-)" + std::to_string(2 * i + e) +
                            R"(","subject":")" + Person(i) + R"(","x":[0.5,0,0,0.1,0],"y":1})",
                        {}});
    }
    deletes.push_back(
        DeleteOf(Person(i), "r-" + std::to_string(i), PlaceOf(Person(i), "murmur2", kPartitions)));
  }
  SendAndWait(learns);
  StopBoth();
  StartBoth();
  SendAndWait(deletes);
  EXPECT_EQ(Total("forgotten_events"), 2 * kPeople);
  StopBoth();
}

TEST_F(RunPlacementTest, ARequestByIdIsLookedForInEveryProcess) {
  constexpr int kEvents = 30;
  StartBoth();
  std::vector<OutMessage> learns;
  std::vector<OutMessage> deletes;
  for (int i = 0; i < kEvents; ++i) {
    const std::string id = "e-" + std::to_string(i);
    learns.push_back(LearnOf(Person(i), id, i % kPartitions));
    deletes.push_back({topic,
                       (i + 1) % kPartitions,
                       "r-" + std::to_string(i),
                       R"({"type":"delete","id":")" + id + R"("})",
                       {}});
  }
  SendAndWait(learns);
  SendAndWait(deletes);
  EXPECT_EQ(Total("forgotten_events"), kEvents);
  StopBoth();
}

TEST_F(RunPlacementTest, AnUpdateOnAnotherPartitionForgetsTheOldVersionOnce) {
  constexpr int kEvents = 60;
  StartBoth();
  std::vector<OutMessage> learns;
  std::vector<OutMessage> updates;
  for (int i = 0; i < kEvents; ++i) {
    const std::string id = "e-" + std::to_string(i);
    learns.push_back({topic,
                      i % kPartitions,
                      std::nullopt,
                      R"({"type":"learn","id":")" + id + R"(","x":[0.5,0,0,0.1,0],"y":1})",
                      {}});
    updates.push_back({topic,
                       (i + 1 + i / kPartitions) % kPartitions,
                       std::nullopt,
                       R"({"type":"update","id":")" + id + R"(","x":[0.1,0,0,0.1,0],"y":1})",
                       {}});
  }
  SendAndWait(learns);
  SendAndWait(updates);
  EXPECT_EQ(Total("updates"), kEvents);
  EXPECT_EQ(Total("forgotten_events"), kEvents);
  EXPECT_EQ(Total("retained_events"), kEvents);
  EXPECT_GE(std::atoll(Metric(*daemons_[0], "lethe_misrouted_total{shard=\"0\"}")
                           .substr(sizeof("lethe_misrouted_total{shard=\"0\"}"))
                           .c_str()),
            1);
  // An id that was replaced is not refused: the next version may come anywhere.
  for (OutMessage& update : updates) update.partition = 0;
  SendAndWait(updates);
  EXPECT_EQ(Total("updates"), 2 * kEvents);
  EXPECT_EQ(Total("retained_events"), kEvents);
  StopBoth();
  std::int64_t receipts = 0;
  for (const auto& [shard, chain] : Chains()) {
    for (const std::string& entry : chain) {
      if (Member(entry, "/format") != "lethe.receipt/1") continue;
      EXPECT_EQ(Member(entry, "/outcome"), "forgotten");
      EXPECT_EQ(Member(entry, "/cause"), "update");
      ++receipts;
    }
  }
  EXPECT_EQ(receipts, 2 * kEvents);
}

// All of it is there before the daemon starts, so no shard has read to its end when the first
// requests are met.
TEST_F(RunPlacementTest, ARequestInACatchUpIsPassedOnOnlyWhereItWasLearned) {
  constexpr int kMany = 24;
  constexpr int kPeople = 200;
  topic = NewTopic(kMany);
  state_path = folder / "state-alone";
  config_path = folder / "alone.yaml";
  Config();
  std::vector<OutMessage> messages;
  for (int round = 0; round < 30; ++round) {
    for (int p = 0; p < kMany; ++p) {
      const std::string other = std::to_string(round) + "-" + std::to_string(p);
      messages.push_back(LearnOf("other-" + other, "o-" + other, p));
    }
    for (int i = round; i < kPeople; i += 30) {
      const std::int32_t home = PlaceOf(Person(i), "murmur2", kMany);
      messages.push_back(DeleteOf(Person(i), "r-" + std::to_string(i), (home + 5) % kMany));
      // What stood before the request in time may be read long after it.
      messages.push_back(LearnOf(Person(i), "e-" + std::to_string(i), home));
    }
  }
  Send(messages);
  const std::int64_t before = Messages();
  daemons_[0] = Start();
  WaitForQuiet({daemons_[0].get()});
  EXPECT_EQ(StatusOf(*daemons_[0], "/totals/forgotten_events"), std::to_string(kPeople));
  Stop(*daemons_[0]);
  const std::int64_t passed_on = Messages() - before;
  RecordProperty("passed_on", std::to_string(passed_on));
  EXPECT_EQ(passed_on, kPeople);
}

TEST_F(RunPlacementTest, KeysOfAnyBytesAreForgottenRecordedAndReplayed) {
  constexpr int kPeople = 40;
  StartBoth();
  const auto key = [](int i) { return "\xff\xfe" + std::to_string(i) + "\xc3"; };
  std::vector<OutMessage> learns;
  std::vector<OutMessage> deletes;
  for (int i = 0; i < kPeople; ++i) {
    const std::int32_t home = PlaceOf(key(i), "murmur2", kPartitions);
    learns.push_back(LearnOf(key(i), "e-" + std::to_string(i), home));
    deletes.push_back(
        DeleteOf(key(i), "r-" + std::to_string(i), PlaceOf(key(i), "consistent", kPartitions)));
    if (i % 2 == 1) deletes.back().value.reset();  // a tombstone
  }
  SendAndWait(learns);
  SendAndWait(deletes);
  EXPECT_EQ(Total("forgotten_events"), kPeople);
  EXPECT_EQ(Total("outcomes/rejected"), 0);
  // Asked for on the command line, and a bad record under such a key.
  SendAndWait({LearnOf(key(100), "e-100", PlaceOf(key(100), "murmur2", kPartitions))});
  LetheDone({"forget", key(100), "--wait", "--request", "r-100"});
  SendAndWait({{topic, 0, key(101), "{\"type\":\"delete\",\"id\":5.5}", {}}});
  EXPECT_EQ(Total("forgotten_events"), kPeople + 1);
  StopBoth();
  for (const char* name : {"all.ndjson", "all.lethe"}) {
    const auto file = folder / name;
    const auto done = LetheDone({"record", "--out", file.string(), "--json"});
    EXPECT_EQ(Member(done->Output(), "/not_kept"), file.extension() == ".lethe" ? "1" : "0");
    EXPECT_EQ(Member(Replay(file).summary, "/forgotten_events"), std::to_string(kPeople + 1));
  }
  const auto letters = ReadTopic(dead_topic);
  ASSERT_EQ(letters.size(), 1u);
  EXPECT_EQ(letters.front().key, key(101));
}

}  // namespace
}  // namespace lethe::testing::run_placement_test
