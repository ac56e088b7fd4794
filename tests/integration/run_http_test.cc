// What a daemon on a real broker shows of its receipts, and takes over HTTP.

#include <csignal>
#include <fstream>
#include <set>
#include <thread>

#include <simdjson.h>

#include "tests/support/daemon_fixture.h"
#include "tests/support/http_client.h"

namespace lethe::testing::run_http_test {
namespace {

class RunHttpTest : public DaemonTest {
 protected:
  // The exact bytes of every receipt, newest first, page by page.
  static std::vector<std::string> Receipts(const std::string& url) {
    std::vector<std::string> all;
    for (std::string path = "/v1/receipts?limit=7"; !path.empty();) {
      const HttpReply reply = Get(url, path);
      EXPECT_EQ(reply.status, 200) << reply.body;
      simdjson::dom::parser parser;
      const simdjson::dom::element list = parser.parse(reply.body);
      for (const simdjson::dom::element one : simdjson::dom::array(list["receipts"])) {
        const auto uuid = std::string(std::string_view(one["uuid"]));
        all.push_back(Get(url, "/v1/receipts/" + uuid).body);
      }
      path = list["next"].is_null() ? "" : std::string(std::string_view(list["next"]));
    }
    return all;
  }
};

TEST_F(RunHttpTest, ReceiptsAreThosePublishedAndSurviveARestart) {
  Send(Generate(400, 0.05));
  auto daemon = Start();
  const auto messages = static_cast<std::int64_t>(ReadTopic(topic).size());
  WaitForRecords(*daemon, messages);
  const std::vector<std::string> before = Receipts(Url(*daemon));
  daemon->Signal(SIGTERM);
  ASSERT_EQ(daemon->Wait(), 0) << daemon->Log();

  std::vector<std::string> published = PublishedChain();
  std::erase_if(published, [](const std::string& entry) {
    return entry.find("\"format\":\"lethe.receipt/1\"") == std::string::npos;
  });
  EXPECT_GT(before.size(), 10U);
  EXPECT_EQ(before.size(), published.size());
  EXPECT_EQ(std::set(before.begin(), before.end()), std::set(published.begin(), published.end()));

  daemon = Start();
  WaitForRecords(*daemon, messages);
  EXPECT_EQ(std::set(before.begin(), before.end()), [&] {
    const auto after = Receipts(Url(*daemon));
    return std::set(after.begin(), after.end());
  }());
}

TEST_F(RunHttpTest, ARequestOverHttpGoesThroughTheTopic) {
  const auto token_path = folder / "token";
  std::ofstream(token_path) << "s3cret\n";
  std::filesystem::permissions(token_path, std::filesystem::perms::owner_read);
  std::string text = Config();
  const std::string listen = "http: {listen: \"127.0.0.1:0\"";
  text.insert(text.find(listen) + listen.size(), ", token_file: " + token_path.string());
  std::ofstream(config_path) << text;
  Send({{topic, 0, "user-7", R"({"type":"learn","id":"e-1","x":[0.1,0.2,0,0,0],"y":1})", {}}});

  const auto daemon = Start();
  const std::string url = Url(*daemon);
  const std::string body = R"({"subject":"user-7","request":"rtbf-1"})";
  HttpHeaders headers = {{"Content-Type", "application/json"}};
  EXPECT_EQ(Fetch(url, "POST", "/v1/forget", headers, body).status, 401);
  headers["Authorization"] = "Bearer s3cret";
  const HttpReply reply = Fetch(url, "POST", "/v1/forget", headers, body);
  ASSERT_EQ(reply.status, 202) << reply.body;
  EXPECT_NE(reply.body.find("rtbf-1"), std::string::npos);

  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  std::string receipts;
  while (receipts.find("rtbf-1") == std::string::npos) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << daemon->Log();
    receipts = Get(url, "/v1/receipts", headers).body;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_NE(receipts.find("\"outcome\":\"forgotten\",\"events\":1"), std::string::npos) << receipts;
  const auto messages = ReadTopic(topic);
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[1].key, "user-7");
  EXPECT_EQ(messages[1].value, R"({"type":"delete","subject":"user-7","request":"rtbf-1"})");
}

TEST_F(RunHttpTest, WithoutATokenNobodyCanAsk) {
  const auto daemon = Start();
  const HttpReply reply = Fetch(Url(*daemon), "POST", "/v1/forget",
                                {{"Content-Type", "application/json"}}, R"({"subject":"user-7"})");
  EXPECT_EQ(reply.status, 404) << reply.body;
}

}  // namespace
}  // namespace lethe::testing::run_http_test
