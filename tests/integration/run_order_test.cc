// Nobody sees the receipt of a deletion before the clean model: a daemon on a real broker.

#include <csignal>
#include <thread>

#include <simdjson.h>

#include "tests/support/daemon_fixture.h"
#include "tests/support/http_client.h"

namespace lethe::testing::run_order_test {
namespace {

constexpr int kPeople = 60;

std::int64_t Number(const std::string& json, const std::string& pointer) {
  return std::stoll("0" + Member(json, pointer));
}

class RunOrderTest : public DaemonTest {
 protected:
  void SetUp() override {
    DaemonTest::SetUp();
    // The broker's own times, so that those of two topics can be compared.
    receipts_topic = NewTopic(1, {{"message.timestamp.type", "LogAppendTime"}});
    models_topic_ = NewTopic(1, {{"message.timestamp.type", "LogAppendTime"}});
    Config("publish: {receipts_topic: " + receipts_topic + ", models_topic: " + models_topic_ +
           ", models_every: 1h}\n");
  }

  static std::string Person(int i) { return "user-" + std::to_string(i); }

  std::string models_topic_;
};

TEST_F(RunOrderTest, NoReceiptIsSeenBeforeItsModel) {
  std::vector<OutMessage> events;
  for (int i = 0; i < kPeople; ++i) {
    events.push_back({topic, 0, Person(i), R"({"type":"learn","x":[0.1,0.2,0,0,0.3],"y":1})", {}});
  }
  Send(events);
  const auto daemon = Start();
  WaitForRecords(*daemon, kPeople);
  const std::string url = Url(*daemon);
  for (int i = 0; i < kPeople; ++i) {
    Send({{topic, 0, Person(i), R"({"type":"delete","subject":")" + Person(i) + "\"}", {}}});
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (std::string receipts; receipts.find("\"forgotten\"") == std::string::npos ||
                               Number(receipts, "/receipts/0/received/offset") < kPeople + i;) {
      ASSERT_LT(std::chrono::steady_clock::now(), deadline) << daemon->Log();
      receipts = Get(url, "/v1/receipts?limit=1").body;
      const std::string model = Get(url, "/v1/model").body;
      if (receipts.find("\"forgotten\"") == std::string::npos) continue;
      const std::string uuid = Member(receipts, "/receipts/0/uuid");
      const std::string receipt = Get(url, "/v1/receipts/" + uuid).body;
      const std::int64_t clean = Number(receipt, "/effective/model_version");
      ASSERT_GT(clean, 0) << receipt;
      ASSERT_GE(Number(model, "/model_version"), clean) << "deletion " << i;
    }
  }
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();

  const std::vector<Message> models = ReadTopic(models_topic_);
  int receipts = 0;
  for (const Message& message : ReadTopic(receipts_topic)) {
    if (message.value.find("\"outcome\":\"forgotten\"") == std::string::npos) continue;
    ++receipts;
    const std::int64_t clean = Number(message.value, "/effective/model_version");
    bool has_model = false;
    bool has_notice = false;
    for (const Message& other : models) {
      if (other.timestamp > message.timestamp) break;
      has_model |= other.key == "model/0" && Number(other.value, "/model_version") >= clean;
      has_notice |= other.key == "clean/0" && Number(other.value, "/clean_from") >= clean;
    }
    EXPECT_TRUE(has_model && has_notice) << "version " << clean;
  }
  EXPECT_EQ(receipts, kPeople);
}

}  // namespace
}  // namespace lethe::testing::run_order_test
