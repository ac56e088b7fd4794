// Rows of payloads, which lie in files beside the database.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "state/format/keys.h"
#include "state/store/rocks_store.h"
#include "tests/support/disk_calls.h"

namespace lethe::payload_store_test {
namespace {

bool IsPayloadFile(int file) {
  return testing::PathOf(file).find("/payloads/") != std::string::npos;
}

void LetSyncsOfPayloadsFail(bool fail) {
  testing::before_fdatasync = nullptr;
  if (fail) testing::before_fdatasync = [](int file) { return !IsPayloadFile(file); };
}

// Once, before the next payload is read.
void BeforeNextRead(const std::function<void()>& action) {
  testing::before_pread = [action](int file) {
    if (!IsPayloadFile(file)) return;
    const auto once = action;
    testing::before_pread = nullptr;  // and with it this function and its `action`
    once();
  };
}

using Rows = std::map<std::uint64_t, std::string>;

std::string Key(std::uint64_t number) { return NumberKey(number); }

class PayloadStoreTest : public ::testing::Test {
 protected:
  PayloadStoreTest() {
    folder_ = std::filesystem::temp_directory_path() / ("lethe-placed-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    Reopen();
  }
  ~PayloadStoreTest() override {
    store_.reset();
    std::filesystem::remove_all(folder_);
  }

  void Reopen() {
    store_.reset();
    auto opened = RocksStore::Open(
        folder_.string(), [this](const std::string& message) { failures_.push_back(message); });
    ASSERT_TRUE(opened.ok()) << opened.status().message();
    store_ = std::move(opened).value();
  }

  void Put(std::uint64_t key, const std::string& value) {
    WriteBatch batch;
    batch.Put(Family::kPayloads, Key(key), value);
    ASSERT_TRUE(store_->Write(batch, false).ok());
  }

  static Rows AllOf(const Store& store, std::uint64_t first = 0) {
    Rows rows;
    std::uint64_t last = 0;
    const Status status = store.Scan(Family::kPayloads, Key(first),
                                     [&](std::string_view key, std::string_view value) {
                                       EXPECT_TRUE(rows.empty() || KeyNumber(key) > last);
                                       last = KeyNumber(key);
                                       rows[last] = value;
                                       return true;
                                     });
    EXPECT_TRUE(status.ok()) << status.message();
    return rows;
  }

  // The names of the files that have these bytes.
  std::string FilesWith(const std::string& bytes) const {
    std::string found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      if (!entry.is_regular_file()) continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      if (text.str().find(bytes) != std::string::npos) found += entry.path().string() + " ";
    }
    return found;
  }
  std::filesystem::path PayloadFile() const { return folder_ / "payloads" / "1"; }

  std::filesystem::path folder_;
  std::vector<std::string> failures_;
  std::unique_ptr<RocksStore> store_;
};

// Takes a text out of rows.
Store::Scrub Without(const std::string& text) {
  return [text](std::string_view value) -> std::optional<std::string> {
    std::string changed(value);
    const std::size_t at = changed.find(text);
    if (at == std::string::npos) return std::nullopt;
    return changed.erase(at, text.size());
  };
}

TEST_F(PayloadStoreTest, TheyAreWrittenReplacedAndDeletedAsAnyRowsAre) {
  Rows expected;
  for (std::uint64_t i = 0; i < 20; ++i) {
    expected[i] = std::string(1000 + i, static_cast<char>('a' + i));
    Put(i, expected[i]);
  }
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(AllOf(*store_), expected);
    EXPECT_EQ(AllOf(*store_, 7), Rows(expected.lower_bound(7), expected.end()));
    EXPECT_EQ(store_->LastKey(Family::kPayloads), Key(19));
    EXPECT_EQ(store_->Get(Family::kPayloads, Key(19)).value(), expected[19]);
    EXPECT_EQ(store_->Get(Family::kPayloads, Key(99)).value(), std::nullopt);
    EXPECT_GE(store_->Bytes(Family::kPayloads), 5000);
    EXPECT_TRUE(store_->Verify().ok());
    EXPECT_EQ(AllOf(*RocksStore::OpenForReading(folder_.string()).value()), expected);
    if (round == 0) {
      WriteBatch batch;
      batch.DeleteRange(Family::kPayloads, Key(2), Key(5));
      batch.Delete(Family::kPayloads, Key(8));
      batch.Put(Family::kPayloads, Key(9), "new");
      ASSERT_TRUE(store_->Write(batch, true).ok());
      expected.erase(expected.find(2), expected.find(5));
      expected.erase(8);
      expected[9] = "new";
    } else {
      Reopen();
    }
  }
}

TEST_F(PayloadStoreTest, TheirBytesAreNotInTheDatabase) {
  Put(1, "a payload that is marked");
  ASSERT_TRUE(store_->Flush().ok());
  EXPECT_EQ(FilesWith("a payload that is marked"), PayloadFile().string() + " ");
}

TEST_F(PayloadStoreTest, ARewriteLeavesNothingOfWhatIsNotNeeded) {
  Put(0, "first piece: the person");
  Put(3, "second piece: the person");
  Put(7, "dropped: the person");
  Put(256, "another row: the person");
  Put(512, "neighbour");
  WriteBatch batch;
  batch.Put(Family::kPayloads, Key(0), "the whole block: the person");
  batch.Delete(Family::kPayloads, Key(3));
  batch.DeleteRange(Family::kPayloads, Key(7), Key(8));
  ASSERT_TRUE(store_->Write(batch, true).ok());
  Reopen();
  // A commit that a crash cut off before the database knew of it.
  std::ofstream(PayloadFile(), std::ios::app | std::ios::binary) << "a tail: the person";
  std::ofstream(folder_ / "payloads" / "7", std::ios::binary) << "lost: the person";
  Reopen();
  ASSERT_NE(FilesWith("the person"), "");
  ASSERT_TRUE(store_->Rewrite({{Family::kPayloads, Key(0), Key(511)}}, Without("the person")).ok());
  EXPECT_EQ(FilesWith("person"), "");
  EXPECT_EQ(FilesWith("piece"), "");
  const Rows expected{{0, "the whole block: "}, {256, "another row: "}, {512, "neighbour"}};
  EXPECT_EQ(AllOf(*store_), expected);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "payloads" / "7"));
  Reopen();
  EXPECT_EQ(AllOf(*store_), expected);
  EXPECT_TRUE(store_->Verify().ok());
  // Where nothing is in the ranges, what was replaced goes nevertheless.
  Put(512, "instead");
  ASSERT_TRUE(store_->Rewrite({{Family::kMeta, "", ""}}, Without("x")).ok());
  EXPECT_EQ(FilesWith("neighbour"), "");
  EXPECT_EQ(AllOf(*store_).at(512), "instead");
  batch.Clear();
  batch.Delete(Family::kPayloads, Key(256));
  ASSERT_TRUE(store_->Write(batch, true).ok());
  ASSERT_TRUE(store_->Rewrite({{Family::kMeta, "", ""}}, Without("x")).ok());
  EXPECT_EQ(FilesWith("another row"), "");
}

// A window leaves rows behind although nothing is ever deleted.
TEST_F(PayloadStoreTest, WhatIsNotNeededDoesNotPileUp) {
  constexpr std::uint64_t kStep = 2000;  // so that there are several groups of files
  const std::string value(std::size_t{1} << 20, 'v');
  for (std::uint64_t i = 0; i < 100; ++i) {
    WriteBatch batch;
    batch.Put(Family::kPayloads, Key(i * kStep), value);
    if (i >= 2) batch.DeleteRange(Family::kPayloads, Key((i - 2) * kStep), Key((i - 1) * kStep));
    ASSERT_TRUE(store_->Write(batch, false).ok());
    ASSERT_LE(store_->Bytes(Family::kPayloads), std::int64_t{25} << 20);
  }
  EXPECT_FALSE(std::filesystem::exists(PayloadFile()));
}

TEST_F(PayloadStoreTest, ARewriteAndAWriterDoNotDisturbEachOther) {
  constexpr std::uint64_t kRows = 64;
  constexpr int kRounds = 6;
  const auto value = [](std::uint64_t row, int version, const std::string& what) {
    return std::to_string(row) + "." + std::to_string(version) + " " + what +
           std::string(20'000, static_cast<char>('a' + version));
  };
  // Rows of every other kind are written again while all are rewritten, without the secret.
  for (int round = 0; round < kRounds; ++round) {
    for (std::uint64_t i = 0; i < kRows; ++i) Put(i, value(i, round, "secret"));
    std::thread writer([&] {
      for (std::uint64_t i = 1; i < kRows; i += 2) Put(i, value(i, round, "public"));
    });
    std::atomic<bool> done{false};
    std::thread reader([&] {
      while (!done) EXPECT_EQ(AllOf(*store_).size(), kRows);
    });
    const Status status =
        store_->Rewrite({{Family::kPayloads, Key(0), Key(kRows)}}, Without("secret"));
    ASSERT_TRUE(status.ok()) << status.message();
    writer.join();
    done = true;
    reader.join();
    EXPECT_EQ(FilesWith("secret"), "");
    const Rows rows = AllOf(*store_);
    for (std::uint64_t i = 0; i < kRows; ++i) {
      EXPECT_EQ(rows.at(i), value(i, round, i % 2 == 1 ? "public" : "")) << i;
    }
  }
}

// A row that moves while it is read is read as it was, since its file is open, or as it is now.
TEST_F(PayloadStoreTest, ARowThatIsErasedWhileItIsReadIsNotTakenForDamaged) {
  Put(0, "a secret");
  BeforeNextRead([this] {
    const std::vector<Store::KeyRange> all{{Family::kPayloads, Key(0), Key(9)}};
    EXPECT_TRUE(store_->Rewrite(all, Without("secret")).ok());
  });
  EXPECT_TRUE(store_->Get(Family::kPayloads, Key(0)).ok());
  EXPECT_EQ(store_->Get(Family::kPayloads, Key(0)).value(), "a ");
  EXPECT_EQ(AllOf(*store_), (Rows{{0, "a "}}));
}

TEST_F(PayloadStoreTest, DamageIsFoundByReadingAndByVerifying) {
  for (std::uint64_t i = 0; i < 4; ++i) Put(i, std::string(1000, static_cast<char>('a' + i)));
  store_.reset();
  const auto expect_damage = [&] {
    Reopen();
    Status status = store_->Scan(Family::kPayloads, "", [](auto, auto) { return true; });
    EXPECT_EQ(status.code(), ErrorCode::kInput);
    EXPECT_NE(status.message().find("damaged"), std::string::npos);
    EXPECT_EQ(store_->Get(Family::kPayloads, Key(3)).status().code(), ErrorCode::kInput);
    EXPECT_EQ(store_->Verify().code(), ErrorCode::kInput);
    const auto reading = RocksStore::OpenForReading(folder_.string());
    EXPECT_EQ(reading.value()->Verify().code(), ErrorCode::kInput);
    const std::vector<Store::KeyRange> all{{Family::kPayloads, Key(0), Key(9)}};
    EXPECT_EQ(store_->Rewrite(all, Without("d")).code(), ErrorCode::kInput);
    store_.reset();
  };
  std::fstream(PayloadFile(), std::ios::in | std::ios::out | std::ios::binary).seekp(3500).put('!');
  expect_damage();
  std::filesystem::resize_file(PayloadFile(), 3500);
  expect_damage();
  std::filesystem::remove(PayloadFile());
  expect_damage();
}

// Another process reads what this one moves.
TEST_F(PayloadStoreTest, AVerificationIsNotMisledByARewrite) {
  Put(0, "the person");
  const auto reading = RocksStore::OpenForReading(folder_.string()).value();
  ASSERT_TRUE(store_->Rewrite({{Family::kPayloads, Key(0), Key(9)}}, Without("person")).ok());
  const Status status = reading->Verify();
  EXPECT_TRUE(status.ok()) << status.message();
}

// The disk fails, or the machine crashes, when some rows have moved: no harm, and the next one ends
// it.
TEST_F(PayloadStoreTest, ARewriteThatWasCutShortIsGoneOnWith) {
  Put(0, "before secret behind");
  Put(1, "neighbour");
  LetSyncsOfPayloadsFail(true);
  const std::vector<Store::KeyRange> all{{Family::kPayloads, Key(0), Key(9)}};
  EXPECT_EQ(store_->Rewrite(all, Without("secret")).code(), ErrorCode::kDisk);
  LetSyncsOfPayloadsFail(false);
  Reopen();
  EXPECT_EQ(FilesWith("secret"), PayloadFile().string() + " ");
  EXPECT_EQ(AllOf(*store_), (Rows{{0, "before secret behind"}, {1, "neighbour"}}));
  EXPECT_TRUE(store_->Verify().ok());
  ASSERT_TRUE(store_->Rewrite(all, Without("secret")).ok());
  EXPECT_EQ(FilesWith("secret"), "");
  Reopen();
  EXPECT_EQ(AllOf(*store_), (Rows{{0, "before  behind"}, {1, "neighbour"}}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_ / "payloads"), {}), 1);
}

// Or a crash of the machine could leave places where nothing is.
TEST_F(PayloadStoreTest, NothingRefersToBytesThatAreNotOnTheDisk) {
  Put(0, "is there");
  LetSyncsOfPayloadsFail(true);
  WriteBatch batch;
  batch.Put(Family::kPayloads, Key(1), "is lost");
  batch.Put(Family::kMeta, "c", "commit");
  const Status status = store_->Write(batch, false);
  const Status rewritten = store_->Rewrite({{Family::kPayloads, Key(0), Key(0)}}, Without("there"));
  LetSyncsOfPayloadsFail(false);
  EXPECT_EQ(status.code(), ErrorCode::kDisk);
  EXPECT_EQ(rewritten.code(), ErrorCode::kDisk);
  EXPECT_EQ(failures_.size(), 2u);
  Reopen();
  EXPECT_EQ(AllOf(*store_), (Rows{{0, "is there"}}));
  EXPECT_EQ(store_->Get(Family::kMeta, "c").value(), std::nullopt);
}

}  // namespace
}  // namespace lethe::payload_store_test
