// `lethe check --online`: says what in Kafka would break the promise, and writes nothing.

#include <test_paths.h>

#include <fstream>

#include "connectors/kafka/cluster.h"
#include "connectors/kafka/partitioner.h"
#include "tests/support/daemon_fixture.h"

namespace lethe::testing::check_online_test {
namespace {

class CheckOnlineTest : public DaemonTest {
 protected:
  void SetUp() override {
    DaemonTest::SetUp();
    receipts_topic = NewTopic(1, {{"retention.ms", "-1"}, {"retention.bytes", "-1"}});
    dead_topic = NewTopic(1, {{"retention.ms", "86400000"}});
  }
  std::unique_ptr<Process> Check(int exit_code, const std::string& more = "") {
    Config(more);
    auto process = std::make_unique<Process>(
        std::vector<std::string>{LETHE_BINARY, "check", "--online", config_path.string()},
        (folder / "check.log").string());
    EXPECT_EQ(process->Wait(), exit_code) << process->Log() << process->Output();
    return process;
  }
  void ExpectSays(const Process& process, const std::string& text) {
    EXPECT_NE(process.Output().find(text), std::string::npos) << text << "\n" << process.Output();
  }
  std::int64_t Records(const std::string& name) {
    auto cluster = KafkaCluster::Open(Settings(), {}).value();
    return cluster->Range(name, 0, kPatience).value().next.value;
  }
};

TEST_F(CheckOnlineTest, ASoundSetUpIsOkAndNothingIsWritten) {
  const auto check = Check(0);
  ExpectSays(*check, "1 of 1 partitions");
  ExpectSays(*check, "keeps all receipts");
  EXPECT_EQ(check->Output().find("broken"), std::string::npos) << check->Output();
  for (const std::string& name : {topic, receipts_topic, dead_topic}) EXPECT_EQ(Records(name), 0);
  Process json({LETHE_BINARY, "check", "--online", "--json", config_path.string()},
               (folder / "json.log").string());
  EXPECT_EQ(json.Wait(), 0) << json.Log();
  EXPECT_EQ(Member(json.Output(), "/ok"), "true");
  EXPECT_NE(Member(json.Output(), "/online/0/level"), "");
}

TEST_F(CheckOnlineTest, ASourceThatOutlivesTheDeadlineBreaksThePromise) {
  topic = NewTopic(1, {{"retention.ms", "-1"}});
  ExpectSays(*Check(1), "people who were forgotten for ever");
  topic = NewTopic(1, {{"retention.ms", "864000000"}});
  ExpectSays(*Check(1), "for 10 d, longer than erasure.refuse_late_for (8 d)");
  Check(0, "erasure: {refuse_late_for: 11d}\n");
}

TEST_F(CheckOnlineTest, CompactionThatEatsUnreadEventsBreaksThePromise) {
  topic = NewTopic(1, {{"cleanup.policy", "compact"}, {"max.compaction.lag.ms", "172800000"}});
  ExpectSays(*Check(1), "before they are read: set min.compaction.lag.ms");
  topic = NewTopic(1, {{"cleanup.policy", "compact"},
                       {"min.compaction.lag.ms", "86400000"},
                       {"max.compaction.lag.ms", "172800000"}});
  Check(0);
  topic = NewTopic(1, {{"cleanup.policy", "compact"}, {"min.compaction.lag.ms", "86400000"}});
  ExpectSays(*Check(1), "for ever");
}

TEST_F(CheckOnlineTest, AModelsTopicThatKeepsOldVersionsBreaksThePromise) {
  const auto with = [&](const std::string& models) {
    return "publish: {receipts_topic: " + receipts_topic + ", models_topic: " + models + "}\n";
  };
  ExpectSays(*Check(1, with(NewTopic(1, {{"cleanup.policy", "compact"}}))), "old models");
  Check(0, with(NewTopic(1, {{"cleanup.policy", "compact"}, {"max.compaction.lag.ms", "60000"}})));
  ExpectSays(*Check(1, with(UniqueTopic())), "does not exist");
}

TEST_F(CheckOnlineTest, ThePartitionerIsSampled) {
  topic = NewTopic(4);
  std::vector<OutMessage> messages;
  for (int i = 0; i < 40; ++i) {
    const std::string key = "user-" + std::to_string(i);
    messages.push_back({topic, Partitioner::FromName("consistent")->Of(key, 4), key, "{}", {}});
  }
  Send(messages);
  ExpectSays(*Check(1), "all fit source.kafka.partitioner: consistent");
  messages.clear();
  for (int i = 0; i < 40; ++i) {
    const std::string key = "user-" + std::to_string(i);
    messages.push_back({topic, Partitioner::FromName("murmur2")->Of(key, 4), key, "{}", {}});
  }
  Send(messages);
  ExpectSays(*Check(1), "no partitioner fits all");
  topic = NewTopic(4);
  for (OutMessage& message : messages) message.topic = topic;
  Send(messages);
  ExpectSays(*Check(0), "40 of the last 40 keys are where murmur2 puts them");
}

TEST_F(CheckOnlineTest, LimitsOfSizeAreCompared) {
  dead_topic = NewTopic(1, {{"retention.ms", "86400000"}, {"max.message.bytes", "50000"}});
  ExpectSays(*Check(0, "dead_letter: {topic: " + dead_topic + ", payload: true}\n"),
             "takes 50000 bytes, topic " + topic + " takes 1048588");
  EXPECT_EQ(Check(0)->Output().find("takes 50000 bytes"), std::string::npos);  // no payloads
  const std::string models =
      NewTopic(1, {{"retention.ms", "60000"}, {"max.message.bytes", "100000"}});
  const std::string publish =
      "publish: {receipts_topic: " + receipts_topic + ", models_topic: " + models + "}\n";
  Check(0, publish);
  ExpectSays(*Check(1, publish + "model: {dimension: 10000}\n"),
             "takes 100000 bytes, a model may have 252048: no model is published");
  receipts_topic = NewTopic(
      1, {{"retention.ms", "-1"}, {"retention.bytes", "-1"}, {"max.message.bytes", "2000"}});
  ExpectSays(*Check(1), "a receipt has up to 32768");
}

TEST_F(CheckOnlineTest, WithoutABrokerItIs69) {
  Config();
  std::ofstream(config_path, std::ios::trunc)
      << "model: {dimension: 5}\nsource: {kafka: {brokers: \"" << kNoBroker << "\"}}\n";
  Process process({LETHE_BINARY, "check", "--online", config_path.string()},
                  (folder / "check.log").string());
  EXPECT_EQ(process.Wait(), 69) << process.Log();
}

}  // namespace
}  // namespace lethe::testing::check_online_test
