#include "app/run/file_budget.h"

#include <gtest/gtest.h>

#include "state/store/rocks_store.h"

// Files are divided before any is opened.
namespace lethe::file_budget_test {
namespace {

TEST(FileBudget, ManyPartitionsUnderAThousandFilesAreRefusedWithWhatToDo) {
  for (const std::int64_t shards : {64, 256}) {
    const auto files = FileBudget(1024).DatabaseFiles(shards);
    ASSERT_FALSE(files.ok()) << shards;
    EXPECT_EQ(files.status().code(), ErrorCode::kConfig);
    const std::string& message = files.status().message();
    EXPECT_TRUE(message.starts_with(std::to_string(shards) + " partitions may need ")) << message;
    for (const char* part : {"may open 1024", "LimitNOFILE", "source.kafka.partitions"}) {
      EXPECT_NE(message.find(part), std::string::npos) << message;
    }
  }
}

TEST(FileBudget, WhatTheRefusalAsksForIsEnough) {
  for (const std::int64_t shards : {1, 64, 256, 4096}) {
    const std::string message = FileBudget(100).DatabaseFiles(shards).status().message();
    const std::size_t at = message.find("need ") + 5;
    const std::int64_t needed = std::stoll(message.substr(at));
    EXPECT_TRUE(FileBudget(needed).DatabaseFiles(shards).ok()) << message;
  }
}

TEST(FileBudget, AllSharesFitTheLimit) {
  for (const std::int64_t limit : {512, 1024, 4096, 20000, 524288}) {
    const FileBudget budget(limit);
    for (std::int64_t shards = 1;; ++shards) {
      const auto files = budget.DatabaseFiles(shards);
      if (!files.ok()) break;
      ASSERT_GE(files.value(), 20) << "RocksDB takes no less";
      ASSERT_LE(files.value(), RocksStore::kMaxOpenFiles);
      // 18 more than its tables, and ten of max_open_files are none.
      ASSERT_LE(budget.http_connections() + shards * (files.value() + 18), limit);
    }
  }
}

TEST(FileBudget, FewPartitionsHaveAllTheyCanUse) {
  EXPECT_EQ(FileBudget(1024).DatabaseFiles(4).value(), RocksStore::kMaxOpenFiles);
  EXPECT_EQ(FileBudget(524288).DatabaseFiles(256).value(), RocksStore::kMaxOpenFiles);
  EXPECT_LT(FileBudget(1024).DatabaseFiles(16).value(), RocksStore::kMaxOpenFiles);
}

TEST(FileBudget, ConnectionsAreAPartOfTheBudget) {
  EXPECT_EQ(FileBudget(524288).http_connections(), 320);
  EXPECT_EQ(FileBudget(1024).http_connections(), 128);
  EXPECT_EQ(FileBudget(64).http_connections(), 32);
}

}  // namespace
}  // namespace lethe::file_budget_test
