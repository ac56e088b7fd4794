// Whether a state whose chain was changed is found out, also where the chain itself is whole, and
// whether a certificate for people says what the receipt says.

#include <test_paths.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>

#include <gtest/gtest.h>

#include "app/receipts/certificate.h"
#include "app/receipts/chain.h"
#include "connectors/system/sodium_hash.h"
#include "engine/base/json.h"
#include "engine/shard/receipt.h"
#include "state/format/keys.h"
#include "state/store/rocks_store.h"

namespace lethe::receipts_verify_test {
namespace {

class VerifyStateTest : public ::testing::Test {
 protected:
  VerifyStateTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::copy(LETHE_SOURCE_DIR "/tests/kept/state-1", folder_,
                          std::filesystem::copy_options::recursive);
    entries_ = ReadReceipts(folder_.string(), hasher_).value().entries;
  }
  ~VerifyStateTest() override { std::filesystem::remove_all(folder_); }

  void Change(const WriteBatch& batch) {
    auto store = RocksStore::Open((folder_ / "shard-0/db").string()).value();
    ASSERT_TRUE(store->Write(batch, true).ok());
  }
  void ExpectFound(const std::string& what) {
    const Status status = VerifyState(folder_.string(), hasher_);
    EXPECT_EQ(status.code(), ErrorCode::kCheckFailed);
    EXPECT_NE(status.message().find(what), std::string::npos) << status.message();
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("lethe-verify-" + std::to_string(getpid()));
  const SodiumHasher hasher_;
  std::vector<ChainEntry> entries_;
};

TEST_F(VerifyStateTest, AnHonestStateAgreesWithItself) {
  const Status status = VerifyState(folder_.string(), hasher_);
  EXPECT_TRUE(status.ok()) << status.message();
  ASSERT_GT(entries_.size(), 10u);
}

TEST_F(VerifyStateTest, AnEntryThatWasCutOffIsMissed) {
  WriteBatch batch;
  batch.Delete(Family::kChain, NumberKey(entries_.size() - 1));
  Change(batch);
  ExpectFound("entries, the chain has " + std::to_string(entries_.size() - 1));
}

TEST_F(VerifyStateTest, ALastEntryThatWasRewrittenIsNoticed) {
  // The chain alone cannot tell: nothing follows the last entry.
  std::string bytes = entries_.back().bytes;
  bytes.insert(bytes.size() - 1, " ");
  WriteBatch batch;
  batch.Put(Family::kChain, NumberKey(entries_.size() - 1),
            (entries_.back().is_receipt() ? "r" : "n") + bytes);
  Change(batch);
  EXPECT_TRUE(VerifyChains(ReadReceipts(folder_.string(), hasher_).value()).ok());
  ExpectFound("is not the one that the engine remembers");
}

TEST_F(VerifyStateTest, AnEntryInTheMiddleThatWasRewrittenIsNoticed) {
  WriteBatch batch;
  batch.Put(Family::kChain, NumberKey(3),
            (entries_[3].is_receipt() ? "r" : "n") + entries_[3].bytes + " ");
  Change(batch);
  ExpectFound("missing or was changed");
}

// A chain in memory, as a file of bare receipts would be read.
ReceiptBook BookOf(int entries) {
  const SodiumHasher hasher;
  ReceiptBook book;
  std::string previous = kChainStart;
  for (int i = 0; i < entries; ++i) {
    ChainEntry entry;
    entry.format = "lethe.notice/1";
    entry.place = "line " + std::to_string(i + 1);
    entry.previous = previous;
    const Digest digest = hasher.Sha256(previous);
    entry.sha256 = previous = ToHex(digest.data(), digest.size());
    book.entries.push_back(std::move(entry));
  }
  return book;
}

TEST(VerifyChainsTest, ALongChainThatIsBrokenAtItsEndIsToldInLinearTime) {
  constexpr int kEntries = 80000;
  ReceiptBook book = BookOf(kEntries);
  EXPECT_TRUE(VerifyChains(book).ok());
  book.entries.erase(book.entries.end() - 2);
  const std::clock_t before = std::clock();
  const Status status = VerifyChains(book);
  EXPECT_EQ(status.code(), ErrorCode::kCheckFailed);
  EXPECT_EQ(status.message(), "line 80000: the entry before it is missing or was changed");
  // Of the processor, which others cannot take: far below a second, where comparing every pair of
  // entries takes more than a minute.
  EXPECT_LT((std::clock() - before) / CLOCKS_PER_SEC, 20);
}

// The heads of an export name shards. A chain of the same shard from another state, signed with the
// same key, would stand there unannounced.
TEST(VerifyChainsTest, AnExportHasOneChainPerShard) {
  ReceiptBook book = BookOf(3);
  book.heads.push_back({0, 3, book.entries.back().sha256});
  for (ChainEntry& entry : book.entries) entry.state = "b";
  for (const ChainEntry& entry : BookOf(2).entries) {
    book.entries.push_back(entry);
    book.entries.back().state = "a";
  }
  book.signed_lines.resize(book.entries.size() + 1);
  EXPECT_EQ(VerifyChains(book).code(), ErrorCode::kCheckFailed);
  book.entries.resize(3);
  book.signed_lines.resize(4);
  EXPECT_TRUE(VerifyChains(book).ok());
}

ChainEntry Entry(const std::string& outcome, bool certified, const std::string& request) {
  ChainEntry entry;
  entry.format = "lethe.receipt/1";
  entry.receipt = "00000000-0000-4000-8000-000000000001";
  entry.outcome = outcome;
  entry.certified = certified;
  entry.request = request;
  entry.events = 3;
  entry.model_version = 83;
  entry.shard = 2;
  entry.statement = "Request <b> was served.";
  entry.bytes = R"({"format":"lethe.receipt/1","advantage":0.0942,"epsilon":1,)"
                R"("received":{"offset":7,"timestamp":1700000000000},)"
                R"("effective":{"offset":9,"timestamp":null},)"
                R"("assumptions":["Nobody <looks>."],"not_covered":["Models released before."]})";
  return entry;
}

TEST(CertificateTest, SaysWhatTheReceiptSaysAndNothingIsMarkup) {
  const std::string page =
      CertificatePage(Entry("forgotten", true, "<script>alert(1)</script>"), "").value();
  for (const char* text :
       {"Certificate of forgetting", "at most 54.71 times in 100", "model version 83 of shard 2",
        "&lt;script&gt;", "Request &lt;b&gt; was served.", "Nobody &lt;looks&gt;.",
        "Models released before.", "2023-11-14 22:13:20 UTC, offset 7", "is not signed"}) {
    EXPECT_NE(page.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);  // needs nothing from elsewhere
}

TEST(CertificateTest, WhatIsNotCertifiedIsNotCalledACertificate) {
  for (const ChainEntry& entry :
       {Entry("forgotten", false, "r"), Entry("nothing_learned", true, "r")}) {
    const std::string page = CertificatePage(entry, "").value();
    EXPECT_EQ(page.find("Certificate of forgetting"), std::string::npos);
    EXPECT_EQ(page.find("times in 100"), std::string::npos);
  }
}

TEST(CertificateTest, CarriesItsEnvelope) {
  const ChainEntry entry = Entry("forgotten", true, "r");
  const SigningKey key = SigningKey::Generate();
  const std::string page = CertificatePage(entry, WriteEnvelope(entry.bytes, key)).value();
  EXPECT_NE(page.find(key.public_key().Id()), std::string::npos);
  EXPECT_NE(page.find("&quot;payloadType&quot;"), std::string::npos);
}

}  // namespace
}  // namespace lethe::receipts_verify_test
