// Several shards: in one process and in two, with keys where they belong and where they do not.

#include "tests/support/routing_fixture.h"

namespace lethe::testing::run_routing_test {
namespace {

TEST_F(RunRoutingTest, ThreeShardsInOneProcessEachEqualTheirReplay) {
  topic = NewTopic(3);
  Config();
  auto messages = Generate(6'000, 0.02);
  std::map<std::string, std::int32_t> place_of_id;
  for (OutMessage& message : messages) {
    message.topic = topic;
    const std::string id = Member(*message.value, "/id");
    const bool is_delete = Member(*message.value, "/type") == "delete";
    message.partition = message.key ? PlaceOf(*message.key, "murmur2", 3)
                        : is_delete ? place_of_id[id]
                                    : static_cast<std::int32_t>(place_of_id.size() % 3);
    if (!is_delete) place_of_id[id] = *message.partition;
  }
  Send(messages);
  const auto daemon = Start();
  WaitForRecords(*daemon, static_cast<std::int64_t>(messages.size()));
  const std::string model = Model(*daemon);
  EXPECT_EQ(Metric(*daemon, "lethe_misrouted_total{shard=\"1\"}"),
            "lethe_misrouted_total{shard=\"1\"} 0");
  Stop(*daemon);
  // The whole: the average, weighted by what each has learned.
  const auto all = RecordTopic(topic);
  const Replayed replayed = Replay(all);
  EXPECT_EQ(model, replayed.model);
  EXPECT_EQ(Chains(), replayed.chains);
  EXPECT_EQ(replayed.chains.size(), 3u);
  // Each alone; and `model merge` makes the whole of them again.
  std::vector<std::string> merge = {LETHE_BINARY, "model", "merge", "--json"};
  for (const std::string shard : {"0", "1", "2"}) {
    const auto file = folder / ("part-" + shard + ".ndjson");
    LetheDone({"record", "--partition", shard, "--out", file.string()});
    const Replayed alone = Replay(file, "--partitions 3");
    EXPECT_EQ(alone.chains.at(shard), replayed.chains.at(shard));
    const auto copy = folder / ("model-" + shard + ".json");
    std::ofstream(copy) << alone.model << '\n';
    merge.insert(merge.begin() + 3, copy.string());
  }
  Process merged(merge, (folder / "merge.log").string());
  EXPECT_EQ(merged.Wait(), 0) << merged.Log();
  EXPECT_EQ(merged.Output() + "\n", model);
}

TEST_F(RunRoutingTest, ThePromiseIsThatOfAllPartitionsWhicheverProcessRunsThem) {
  topic = NewTopic(4);
  Config("noise: {source: system}\nsource: {kafka: {brokers: \"" + Settings().brokers +
         "\", topic: " + topic + ", partitions: [0, 1]}}\n");
  Send({LearnOf("user-7", "e-1", 0), DeleteOf("user-7", "r-1", 0)});
  const auto daemon = Start();
  WaitForRecords(*daemon, 2);
  EXPECT_EQ(StatusOf(*daemon, "/pipeline/promise/shards"), "4");
  EXPECT_EQ(StatusOf(*daemon, "/pipeline/promise/epsilon"), "1");
  const double mu = std::stod(StatusOf(*daemon, "/pipeline/promise/mu"));
  const double shard_mu = std::stod(StatusOf(*daemon, "/pipeline/promise/shard_mu"));
  EXPECT_NEAR(mu, 0.2367044, 1e-7);
  EXPECT_NEAR(shard_mu, mu / 2, 1e-7);
  EXPECT_NEAR(std::stod(Metric(*daemon, "lethe_privacy_mu ").substr(17)), mu, 1e-9);
  Stop(*daemon);
  const auto chain = PublishedChain();
  ASSERT_EQ(chain.size(), 1u);
  EXPECT_NEAR(std::stod(Member(chain[0], "/mu")), mu, 1e-9);
  EXPECT_EQ(Member(chain[0], "/shards"), "4");
}

TEST_F(RunRoutingTest, APersonInTwoShardsIsPromisedWhatBothTogetherKeep) {
  topic = NewTopic(3);
  Config(
      "noise: {source: system}\nforgetting: {mode: passive, guarantee: per_request}\nsource: "
      "{kafka: {brokers: "
      "\"" +
      Settings().brokers + "\", topic: " + topic + "}}\n");
  const std::int32_t home = PlaceOf("user-7", "murmur2", 3);
  const std::int32_t other = (home + 1) % 3;
  const std::int32_t place = PlaceOf("user-8", "murmur2", 3);
  Send({LearnOf("user-7", "e-1", home), LearnOf("user-7", "e-2", other),
        LearnOf("user-8", "e-3", place)});
  const auto daemon = Start();
  WaitForQuiet({daemon.get()});
  Send({DeleteOf("user-7", "r-7", home), DeleteOf("user-8", "r-8", place)});
  WaitForQuiet({daemon.get()});
  Stop(*daemon);
  std::multiset<std::string> shards;
  for (const std::string& entry : PublishedChain()) {
    if (Member(entry, "/outcome") != "forgotten") continue;
    shards.insert(Member(entry, "/request") + " " + Member(entry, "/shards"));
    const double ratio = std::stod(Member(entry, "/mu")) / std::stod(Member(entry, "/shard_mu"));
    EXPECT_NEAR(ratio * ratio, std::stod(Member(entry, "/shards")), 1e-9) << entry;
  }
  EXPECT_EQ(shards, (std::multiset<std::string>{"r-7 2", "r-7 2", "r-8 1"}));
}

TEST_F(RunRoutingTest, EveryRequestEndsForgottenWhateverThePartitioners) {
  topic = NewTopic(6);
  Config();
  auto messages = MixedLearns(6);
  const auto deletes = Deletes(6);
  messages.insert(messages.end(), deletes.begin(), deletes.end());
  Send(messages);
  const auto daemon = Start();
  WaitForQuiet({daemon.get()});
  EXPECT_TRUE(daemon->Says("source.kafka.partitioner gives its key", {})) << daemon->Log();
  Stop(*daemon);
  ExpectAllForgotten();
}

TEST_F(RunRoutingTest, AMisroutedRequestIsPassedOnAndItsFirstReceiptSaysSo) {
  topic = NewTopic(3);
  Config();
  const std::int32_t home = PlaceOf("user-7", "murmur2", 3);
  const std::int32_t other = (home + 1) % 3;
  Send({LearnOf("user-7", "e-1", home), LearnOf("user-7", "e-2", home)});
  const auto daemon = Start();
  WaitForQuiet({daemon.get()});
  Send({DeleteOf("user-7", "r-1", other)});
  WaitForQuiet({daemon.get()});
  // By id, without a key.
  Send({LearnOf("user-7", "e-3", home)});
  WaitForQuiet({daemon.get()});
  Send({{topic, other, std::nullopt, R"({"type":"delete","id":"e-3","request":"r-2"})", {}}});
  WaitForQuiet({daemon.get()});
  // Once more: the first receipts are named.
  Send({DeleteOf("user-7", "r-3", other)});
  WaitForQuiet({daemon.get()});
  // Nobody.
  Send({DeleteOf("user-8", "r-4", PlaceOf("user-8", "murmur2", 3))});
  WaitForQuiet({daemon.get()});
  EXPECT_EQ(Metric(*daemon, "lethe_misrouted_total{shard=\"" + std::to_string(other) + "\"}"),
            "lethe_misrouted_total{shard=\"" + std::to_string(other) + "\"} 3");
  Stop(*daemon);
  const auto endings = Endings();
  using Outcomes = std::multiset<std::string>;
  EXPECT_EQ(endings.at("r-1").outcomes, (Outcomes{"forgotten", "nothing_learned"}));
  EXPECT_EQ(endings.at("r-1").events, 2);
  EXPECT_EQ(endings.at("r-2").outcomes, (Outcomes{"forgotten", "nothing_learned"}));
  EXPECT_EQ(endings.at("r-3").outcomes, (Outcomes{"already_forgotten", "nothing_learned"}));
  EXPECT_EQ(endings.at("r-4").outcomes, (Outcomes{"nothing_learned"}));
  const std::string first = Chains().at(std::to_string(other)).front();
  EXPECT_EQ(Member(first, "/passed_on"), "[" + std::to_string(home) + "]");
  EXPECT_EQ(Member(first, "/searched"), "[0,1,2]");
  EXPECT_NE(first.find("It was passed on to another shard"), std::string::npos) << first;
  // The model is that of a replay all the same: the passed-on request is in the topic.
  const Replayed replayed = Replay(RecordTopic(topic));
  EXPECT_EQ(Member(replayed.summary, "/forgotten_events"), "3");
}

TEST_F(RunRoutingTest, TwoProcessesOneOfThemKilledForgetEverybody) {
  topic = NewTopic(6);
  ConfigureTwo();
  auto a = StartOf(0);
  auto b = StartOf(1);
  Send(MixedLearns(6));
  WaitForQuiet({a.get(), b.get()});
  b->Signal(SIGKILL);
  b->Wait();
  Send(Deletes(6));
  b = StartOf(1);
  WaitForQuiet({a.get(), b.get()});
  EXPECT_EQ(Member(Get(Url(*a), "/v1/model").body, "/shards/1/shard"), "2");
  EXPECT_EQ(Member(Get(Url(*b), "/v1/model").body, "/shards/1/shard"), "3");
  Stop(*a);
  Stop(*b);
  ExpectAllForgotten();
  EXPECT_EQ(Chains().size(), 6u);
}

}  // namespace
}  // namespace lethe::testing::run_routing_test
