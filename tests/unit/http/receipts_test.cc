#include <gtest/gtest.h>
#include <simdjson.h>

#include "tests/support/http_fixture.h"

// /v1/receipts and what is behind it.
namespace lethe::receipts_test {
namespace {

using testing::Get;
using testing::HttpReply;
namespace dom = simdjson::dom;

std::string Uuid(int n) {
  char text[37];
  std::snprintf(text, sizeof text, "00000000-0000-4000-8000-%012d", n);
  return text;
}

std::string Received(int n, std::int64_t time_ms) {
  return R"({"format":"lethe.notice/1","receipt":")" + Uuid(n) +
         R"(","state":"s","shard":0,"status":"received","sha256":null,"events":3,"offset":97,)"
         R"("timestamp":)" +
         std::to_string(time_ms) + R"(,"previous":"00"})";
}

std::string Erased(int n) {
  return R"({"format":"lethe.notice/1","receipt":")" + Uuid(n) +
         R"(","status":"erased","sha256":"ab","offset":120,"timestamp":5000,"previous":"00"})";
}

std::string Receipt(int n, std::int64_t time_ms) {
  return R"({"format":"lethe.receipt/1","receipt":")" + Uuid(n) +
         R"(","shard":0,"request":"rtbf-)" + std::to_string(n) +
         R"(","outcome":"forgotten","events":3,"learned":[],"received":{"offset":97,"timestamp":)" +
         std::to_string(time_ms) +
         R"(},"effective":{"offset":98,"index":80,"model_version":83,"timestamp":null,)"
         R"("by":"stream"},"certified":true,"sigma":0.0899,"mu":0.25,"epsilon":1,"delta":1e-06,)"
         R"("advantage":0.1,"statement":"It was  forgotten."})";
}

struct FakeSigner final : Signer {
  std::string Envelope(std::string_view bytes) const override {
    return "<" + std::string(bytes) + ">";
  }
  std::string Keys() const override { return "{\"keys\":[]}"; }
};

struct Shelved : testing::RunningServer {
  Shelved()
      : RunningServer(testing::DenseFacts(), std::nullopt,
                      {.receipts = &recent_receipts, .signer = &signer}) {}
  RecentReceipts recent_receipts;
  FakeSigner signer;
};

dom::element ParsedList(dom::parser& parser, const HttpReply& reply) {
  EXPECT_EQ(reply.status, 200) << reply.body;
  return parser.parse(reply.body);
}

TEST(HttpReceipts, AnEmptyListIsAList) {
  Shelved server;
  EXPECT_EQ(Get(server.url, "/v1/receipts").body,
            "{\"format\":\"lethe.receipts/1\",\"held\":0,\"receipts\":[],\"next\":null}\n");
}

TEST(HttpReceipts, ARequestGoesFromReceivedToEffectiveToErased) {
  Shelved server;
  dom::parser parser;
  const auto first = [&] {
    return ParsedList(parser, Get(server.url, "/v1/receipts"))["receipts"].at(0);
  };
  server.recent_receipts.Add({0}, ChainKind::kNotice, Received(1, 1000));
  dom::element one = first();
  EXPECT_EQ(std::string_view(one["status"]), "received");
  EXPECT_EQ(std::int64_t(one["received"]["timestamp"]), 1000);
  EXPECT_EQ(std::int64_t(one["events"]), 3);
  EXPECT_TRUE(one["effective"].is_null());
  EXPECT_TRUE(one["certified"].is_null());
  EXPECT_TRUE(one["links"]["receipt"].is_null());
  const HttpReply waits = Get(server.url, "/v1/receipts/" + Uuid(1));
  EXPECT_EQ(waits.status, 404);
  EXPECT_NE(waits.body.find("waits"), std::string::npos);

  server.recent_receipts.Add({0}, ChainKind::kReceipt, Receipt(1, 1000));
  one = first();
  EXPECT_EQ(std::string_view(one["status"]), "effective");
  EXPECT_EQ(std::string_view(one["request"]), "rtbf-1");
  EXPECT_EQ(std::string_view(one["outcome"]), "forgotten");
  EXPECT_EQ(std::int64_t(one["effective"]["model_version"]), 83);
  EXPECT_TRUE(one["effective"]["timestamp"].is_null());
  EXPECT_EQ(double(one["epsilon"]), 1);
  EXPECT_EQ(double(one["mu"]), 0.25);
  EXPECT_TRUE(bool(one["certified"]));
  EXPECT_TRUE(one["erased"].is_null());

  server.recent_receipts.Add({0}, ChainKind::kNotice, Erased(1));
  one = first();
  EXPECT_EQ(std::string_view(one["status"]), "erased");
  EXPECT_EQ(std::int64_t(one["erased"]["timestamp"]), 5000);
}

TEST(HttpReceipts, AReceiptIsServedByteForByte) {
  Shelved server;
  const std::string bytes = Receipt(7, 1000);
  server.recent_receipts.Add({0}, ChainKind::kReceipt, bytes);
  server.recent_receipts.Add({0}, ChainKind::kNotice, Erased(7));
  const HttpReply reply = Get(server.url, "/v1/receipts/" + Uuid(7));
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, bytes);
  EXPECT_EQ(reply.headers.at("content-disposition"),
            "inline; filename=\"receipt-" + Uuid(7) + ".json\"");
  EXPECT_EQ(Get(server.url, "/v1/receipts/" + Uuid(7) + "?notices=1").body,
            "{\"receipt\":" + bytes + ",\"notices\":[" + Erased(7) + "]}\n");
}

TEST(HttpReceipts, TheNewestComeFirstAndPagesFollowOneAnother) {
  Shelved server;
  // Two shards that are read one after the other.
  for (const int n : {1, 3, 5})
    server.recent_receipts.Add({0}, ChainKind::kReceipt, Receipt(n, n * 10));
  for (const int n : {2, 4})
    server.recent_receipts.Add({1}, ChainKind::kReceipt, Receipt(n, n * 10));
  std::string seen;
  std::string path = "/v1/receipts?limit=2";
  dom::parser parser;
  while (!path.empty()) {
    const dom::element list = ParsedList(parser, Get(server.url, path));
    for (const dom::element one : dom::array(list["receipts"])) {
      seen += std::string_view(one["uuid"]).back();
    }
    path = list["next"].is_null() ? "" : std::string(std::string_view(list["next"]));
  }
  EXPECT_EQ(seen, "54321");
}

TEST(HttpReceipts, BadQuestionsAreToldApart) {
  Shelved server;
  server.recent_receipts.Add({0}, ChainKind::kReceipt, Receipt(1, 1000));
  const auto status = [&](const std::string& rest) {
    return Get(server.url, "/v1/receipts" + rest).status;
  };
  EXPECT_EQ(status("/" + Uuid(2)), 404);
  EXPECT_EQ(status("?before=" + Uuid(2)), 404);
  for (const char* bad : {"/", "/x", "/..%2fstatus", "/00000000-0000-4000-8000-00000000000G",
                          "/00000000-0000-4000-8000-0000000000011", "?before=x", "?limit=0",
                          "?limit=501", "?limit=-1", "?limit=x", "?limit=", "?limit=1x"}) {
    EXPECT_EQ(status(bad), 400) << bad;
  }
  EXPECT_EQ(status("?limit=500&other=1"), 200);
}

TEST(RecentReceipts, WhatIsAddedTwiceIsThereOnce) {
  RecentReceipts recent_receipts;
  for (int i = 0; i < 2; ++i) {
    recent_receipts.Add({0}, ChainKind::kNotice, Received(1, 1000));
    recent_receipts.Add({0}, ChainKind::kReceipt, Receipt(1, 1000));
    recent_receipts.Add({0}, ChainKind::kNotice, Erased(1));
  }
  ASSERT_EQ(recent_receipts.size(), 1U);
  EXPECT_EQ(recent_receipts.Find(Uuid(1))->notices.size(), 2U);
}

TEST(RecentReceipts, WhatIsNoRequestIsPassedOver) {
  RecentReceipts recent_receipts;
  for (const char* bytes : {"", "[]", "{}", "no json", R"({"receipt":null,"status":"gap"})",
                            R"({"receipt":"../../etc","status":"received"})"}) {
    recent_receipts.Add({0}, ChainKind::kNotice, bytes);
    recent_receipts.Add({0}, ChainKind::kReceipt, bytes);
  }
  EXPECT_EQ(recent_receipts.size(), 0U);
}

TEST(RecentReceipts, TheOldestLeaveAndStayAway) {
  RecentReceipts recent_receipts(10'000);
  for (int n = 1; n <= 100; ++n) recent_receipts.Add({0}, ChainKind::kReceipt, Receipt(n, n));
  EXPECT_LT(recent_receipts.size(), 15U);
  EXPECT_GT(recent_receipts.size(), 5U);
  EXPECT_EQ(recent_receipts.Newest(1).front()->uuid, Uuid(100));
  EXPECT_EQ(recent_receipts.Find(Uuid(1)), nullptr);
  recent_receipts.Add({0}, ChainKind::kNotice, Erased(1));
  EXPECT_EQ(recent_receipts.Find(Uuid(1)), nullptr);
}

TEST(HttpReceipts, AReceiptComesInItsEnvelopeWhenAskedFor) {
  Shelved server;
  server.recent_receipts.Add({0}, ChainKind::kReceipt, Receipt(1, 1000));
  const HttpReply reply = Get(server.url, "/v1/receipts/" + Uuid(1) + "?envelope=1");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, "<" + Receipt(1, 1000) + ">");
  EXPECT_EQ(Get(server.url, "/v1/receipts/" + Uuid(1) + "?envelope=0").body, Receipt(1, 1000));
  EXPECT_EQ(Get(server.url, "/v1/receipts/" + Uuid(2) + "?envelope=1").status, 404);
  EXPECT_EQ(Get(server.url, "/v1/keys").body, "{\"keys\":[]}\n");
}

TEST(HttpReceipts, WithoutASignerNothingIsSigned) {
  RecentReceipts recent_receipts;
  recent_receipts.Add({0}, ChainKind::kReceipt, Receipt(1, 1000));
  testing::RunningServer server(testing::DenseFacts(), std::nullopt,
                                {.receipts = &recent_receipts});
  EXPECT_EQ(Get(server.url, "/v1/keys").status, 404);
  EXPECT_EQ(Get(server.url, "/v1/receipts/" + Uuid(1) + "?envelope=1").status, 404);
}

}  // namespace
}  // namespace lethe::receipts_test
