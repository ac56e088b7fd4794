// `lethe forget` against the real broker.

#include <csignal>
#include <fstream>

#include "connectors/kafka/cluster.h"
#include "connectors/kafka/partitioner.h"
#include "tests/support/daemon_fixture.h"

namespace lethe::testing::forget_test {
namespace {

class ForgetTest : public DaemonTest {
 protected:
  void SendLearn(const std::string& subject, const std::string& id) {
    Send({{topic,
           0,
           subject,
           R"({"type":"learn","id":")" + id + R"(","x":[0.5,0,0,0,0],"y":1})",
           {}}});
  }
  FoundMessage At(std::int32_t partition, std::int64_t offset) {
    auto cluster = KafkaCluster::Open(Settings(), {}).value();
    return cluster->At(topic, partition, Offset{offset}, kPatience).value().value();
  }
};

TEST_F(ForgetTest, ASubjectGoesWhereItsKeyBelongs) {
  topic = NewTopic(5);
  for (const char* name : {"murmur2", "consistent_random", "fnv1a"}) {
    Config();
    std::ofstream(config_path, std::ios::trunc)
        << "model: {dimension: 5}\nsource: {kafka: {brokers: \"" << Settings().brokers
        << "\", topic: " << topic << ", partitioner: " << name << "}}\n";
    const auto done = LetheDone({"forget", "user-7", "--request", "r-1", "--json"});
    const std::string partition = Member(done->Output(), "/placed/0/partition");
    EXPECT_EQ(partition, std::to_string(*Partitioner::FromName(name)->Of("user-7", 5)));
    EXPECT_EQ(Member(done->Output(), "/placed/1"), "");
    EXPECT_EQ(Member(done->Output(), "/request"), "r-1");
    const FoundMessage message =
        At(std::stoi(partition), std::stoll(Member(done->Output(), "/placed/0/offset")));
    EXPECT_EQ(message.key, "user-7");
    EXPECT_EQ(message.value, R"({"type":"delete","request":"r-1"})");
    EXPECT_TRUE(message.headers.empty());
  }
}

TEST_F(ForgetTest, AnIdGoesEverywhereUnlessItIsSaidWhoseItIs) {
  topic = NewTopic(3);
  Config();
  const auto everywhere = LetheDone({"forget", "--id", "e-1", "--json"});
  for (int partition = 0; partition < 3; ++partition) {
    EXPECT_EQ(Member(everywhere->Output(), "/placed/" + std::to_string(partition) + "/partition"),
              std::to_string(partition));
    const FoundMessage message = At(partition, 0);
    EXPECT_EQ(message.key, std::nullopt);
    ASSERT_EQ(message.headers.size(), 1u);
    EXPECT_EQ(message.headers[0].first, "lethe.rerouted");
  }
  // A reference was made up, the same for all.
  EXPECT_NE(Member(everywhere->Output(), "/request"), "");
  const auto of_one = LetheDone({"forget", "--id", "e-1", "--subject", "user-7", "--json"});
  EXPECT_EQ(Member(of_one->Output(), "/placed/0/partition"),
            std::to_string(*Partitioner::FromName("murmur2")->Of("user-7", 3)));
  EXPECT_EQ(Member(of_one->Output(), "/placed/1"), "");
  const auto there = LetheDone({"forget", "--id", "e-1", "--partition", "2"});
  EXPECT_NE(there->Output().find("partition 2, offset"), std::string::npos) << there->Output();
  LetheDone({"forget", "--id", "e-1", "--partition", "3"}, 64);
}

TEST_F(ForgetTest, WaitPrintsTheReceipt) {
  SendLearn("user-7", "e-1");
  SendLearn("user-7", "e-2");
  const auto daemon = Start();
  const auto done = LetheDone({"forget", "user-7", "--request", "r-1", "--wait"});
  EXPECT_EQ(Member(done->Output(), "/format"), "lethe.receipt/1");
  EXPECT_EQ(Member(done->Output(), "/outcome"), "forgotten");
  EXPECT_EQ(Member(done->Output(), "/events"), "2");
  EXPECT_EQ(Member(done->Output(), "/request"), "r-1");
  EXPECT_TRUE(done->Says("was served", {})) << done->Log();
  const auto again = LetheDone({"forget", "user-7", "--wait", "--json"});
  EXPECT_EQ(Member(again->Output(), "/receipts/0/outcome"), "already_forgotten");
  EXPECT_EQ(Member(again->Output(), "/receipts/0/request"), Member(again->Output(), "/request"));
}

TEST_F(ForgetTest, WaitEndsAfterItsTimeAndByCtrlC) {
  const auto late = LetheDone({"forget", "user-7", "--wait", "--timeout", "0.5"}, 69);
  EXPECT_TRUE(late->Says("no receipt within", {})) << late->Log();
  const auto stopped = Lethe({"forget", "user-7", "--wait"});
  ASSERT_TRUE(stopped->Says("is in topic")) << stopped->Log();
  stopped->Signal(SIGINT);
  EXPECT_EQ(stopped->Wait(std::chrono::seconds(5)), 130);
  EXPECT_TRUE(stopped->Says("stays there", {})) << stopped->Log();
}

TEST_F(ForgetTest, WhatCannotBeDoneIsSaid) {
  LetheDone({"forget"}, 64);
  LetheDone({"forget", "user-7", "--id", "e-1"}, 64);
  LetheDone({"forget", "user-7", "--subject", "user-8"}, 64);
  EXPECT_TRUE(LetheDone({"forget", std::string(1025, 'u')}, 64)->Says("1024", {}));
  EXPECT_TRUE(LetheDone({"forget", "u", "--request", std::string(129, 'r')}, 64)->Says("128", {}));
  topic = UniqueTopic();
  Config();
  EXPECT_TRUE(LetheDone({"forget", "user-7"}, 69)->Says("does not exist", {}));
  std::ofstream(config_path, std::ios::trunc)
      << "model: {dimension: 5}\nsource: {kafka: {brokers: \"" << kNoBroker << "\"}}\n";
  EXPECT_TRUE(LetheDone({"forget", "user-7"}, 69)->Says("no answer", {}));
  EXPECT_TRUE(LetheDone({"forget", "user-7", "--wait"}, 78)->Says("receipts_topic", {}));
}

}  // namespace
}  // namespace lethe::testing::forget_test
