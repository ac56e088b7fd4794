// The pieces that the durable state is made of.

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

#include <gtest/gtest.h>

#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "state/index/event_table.h"
#include "state/shard_folder.h"
#include "state/store/block_log.h"
#include "state/store/memory_store.h"
#include "state/store/paged_parts.h"

namespace lethe::store_test {
namespace {

class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    folder_ = std::filesystem::temp_directory_path() / ("lethe-store-" + std::to_string(getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  ~FolderTest() override { std::filesystem::remove_all(folder_); }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
};

std::vector<std::string> Entries(const Store& store, std::int64_t block) {
  std::vector<std::string> entries;
  BlockLog<ByteBlock> log(Family::kEvents, block);
  const Status status = log.Load(store, [&](const ByteBlock& rows) {
    entries.resize(static_cast<std::size_t>(rows.first()));
    for (std::int64_t i = rows.first(); i < rows.end(); ++i) entries.emplace_back(rows.At(i));
    return Status::Ok();
  });
  EXPECT_TRUE(status.ok()) << status.message();
  return entries;
}

TEST(BlockLogTest, PiecesBecomeBlocksAndEverythingIsReadBack) {
  MemoryStore store;
  BlockLog<ByteBlock> log(Family::kEvents, 4);
  std::vector<std::string> expected;
  for (int i = 0; i < 30; ++i) {
    expected.push_back(std::string(static_cast<std::size_t>(i % 5), static_cast<char>('a' + i)));
    log.Append(i, expected.back());
    if (i % 3 != 0) continue;
    WriteBatch batch;
    log.AddTo(batch);
    ASSERT_TRUE(store.Write(batch, false).ok());
    EXPECT_EQ(Entries(store, 4), expected);
  }
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(log.Read(store, i).value(), expected[static_cast<std::size_t>(i)]);
  }
  std::size_t rows = 0;
  ASSERT_TRUE(store.Scan(Family::kEvents, "", [&](auto, auto) { return ++rows > 0; }).ok());
  EXPECT_LE(rows, 30u / 4 + 2);
}

TEST(BlockLogTest, ABlankEntryNeverReachesALaterRow) {
  MemoryStore store;
  BlockLog<ByteBlock> log(Family::kEvents, 4);
  for (int i = 0; i < 3; ++i) log.Append(i, "person");
  log.Blank(1);
  WriteBatch batch;
  log.AddTo(batch);
  ASSERT_TRUE(store.Write(batch, false).ok());
  EXPECT_EQ(Entries(store, 4)[1], "");
}

TEST(BlockLogTest, WhatIsNotStoredYetIsReadAndBlankedToo) {
  MemoryStore store;
  BlockLog<ByteBlock> log(Family::kEvents, 4);
  for (int i = 0; i < 10; ++i) log.Append(i, std::string(3, static_cast<char>('a' + i)));
  for (const int i : {0, 5, 9}) {
    EXPECT_EQ(log.Read(store, i).value(), std::string(3, static_cast<char>('a' + i)));
    log.Blank(i);
    EXPECT_TRUE(ByteBlock::IsBlank(log.Read(store, i).value()));
  }
  WriteBatch batch;
  log.AddTo(batch);
  ASSERT_TRUE(store.Write(batch, false).ok());
  const auto entries = Entries(store, 4);
  ASSERT_EQ(entries.size(), 10u);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(ByteBlock::IsBlank(entries[i]), i == 0 || i == 5 || i == 9) << i;
  }
}

TEST(BlockLogTest, AMissingRowIsDamage) {
  MemoryStore store;
  BlockLog<ByteBlock> log(Family::kEvents, 2);
  for (int i = 0; i < 6; ++i) log.Append(i, "x");
  WriteBatch batch;
  log.AddTo(batch);
  batch.Delete(Family::kEvents, std::string("\0\0\0\0\0\0\0\2", 8));
  ASSERT_TRUE(store.Write(batch, false).ok());
  const Status status = BlockLog<ByteBlock>(Family::kEvents, 2).Load(store, [](const ByteBlock&) {
    return Status::Ok();
  });
  EXPECT_EQ(status.code(), ErrorCode::kInput);
}

TEST(BlockLogTest, DroppedBlocksAreGoneAndTheRestIsRead) {
  MemoryStore store;
  BlockLog<ByteBlock> log(Family::kPayloads, 2);
  for (int i = 0; i < 9; ++i) log.Append(i, std::to_string(i));
  WriteBatch batch;
  log.AddTo(batch);
  log.DropBefore(5);
  log.AddTo(batch);
  ASSERT_TRUE(store.Write(batch, false).ok());
  std::vector<std::int64_t> left;
  ASSERT_TRUE(BlockLog<ByteBlock>(Family::kPayloads, 2)
                  .Load(store,
                        [&](const ByteBlock& rows) {
                          for (std::int64_t i = rows.first(); i < rows.end(); ++i)
                            left.push_back(i);
                          return Status::Ok();
                        })
                  .ok());
  EXPECT_EQ(left, (std::vector<std::int64_t>{4, 5, 6, 7, 8}));
}

TEST(EventTableTest, FindsWhatIsThereThroughGrowthAndRemovals) {
  EventTable table;
  SeededRandom random(3);
  std::vector<KeyHash> ids;
  for (std::int64_t i = 0; i < 5000; ++i) {
    std::uint8_t bytes[16];
    random.Fill({Stream::Purpose::kUuid, {0}, static_cast<std::uint64_t>(i)}, bytes);
    KeyHash id;
    std::memcpy(&id, bytes, sizeof id);
    ids.push_back(id);
    table.Add({i}, id, KeyHash{static_cast<std::uint64_t>(i % 7), 0});
    if (i % 3 != 2) continue;
    table.Remove({i - 1}, ids[static_cast<std::size_t>(i - 1)],
                 KeyHash{static_cast<std::uint64_t>((i - 1) % 7), 0});
  }
  std::size_t seventh = 0;
  for (std::int64_t i = 0; i < 5000; ++i) {
    const bool is_removed = i % 3 == 1 && i + 1 < 5000;
    const std::vector<EventIndex> found = table.OfId(ids[static_cast<std::size_t>(i)]);
    EXPECT_EQ(found, is_removed ? std::vector<EventIndex>{} : std::vector{EventIndex{i}}) << i;
    if (i % 7 == 3 && !is_removed) ++seventh;
  }
  EXPECT_EQ(table.OfSubject(KeyHash{3, 0}).size(), seventh);
}

// Ids that agree in all that the table keeps of them: neither hides the other.
TEST(EventTableTest, OneThatIsToldWhatComesNeedNotGrowAndIsNotLarger) {
  EventTable grown, told;
  std::mt19937_64 random(5);
  told.Reserve(300'000);
  const std::size_t before = told.bytes();
  for (std::int64_t i = 0; i < 300'000; ++i) {
    const KeyHash id{random(), 0};
    grown.Add({i}, id, {});
    told.Add({i}, id, {});
  }
  EXPECT_LE(told.bytes() - before, 300'000 * 6);  // which is beside the buckets
  EXPECT_LE(told.bytes(), grown.bytes());
}

TEST(EventTableTest, NamesEveryCandidate) {
  EventTable table;
  const KeyHash one{0x1234567890, 1};
  const KeyHash two{0x5500001234567890, 2};
  const KeyHash other{0x9934567890, 3};
  table.Add({0}, one, std::nullopt);
  table.Add({1}, two, std::nullopt);
  table.Add({2}, other, std::nullopt);
  EXPECT_EQ(table.OfId(one), (std::vector<EventIndex>{{0}, {1}}));
  EXPECT_EQ(table.OfId(two), (std::vector<EventIndex>{{0}, {1}}));
  EXPECT_EQ(table.OfId(other), (std::vector<EventIndex>{{2}}));
  table.Remove({0}, one, std::nullopt);
  EXPECT_EQ(table.OfId(two), (std::vector<EventIndex>{{1}}));
}

TEST(EventTableTest, TakesAtMostTwentyBytesForAnEvent) {
  EventTable table;
  std::mt19937_64 random(5);
  for (std::int64_t i = 1; i <= 8'000'000; ++i) {
    table.Add({i}, {random(), random()}, KeyHash{random() % 100, 0});
    if (i % 1000 != 0) continue;
    const double more = i < 6'000'000 ? 50e6 : 0;
    ASSERT_LE(static_cast<double>(table.bytes()), 20.0 * static_cast<double>(i) + more);
  }
}

TEST(PagedPartsTest, WritesOnlyWhatChanged) {
  MemoryStore store;
  PagedParts parts;
  std::string model(20'000, 'm');
  parts.Put(Part::kRun, model);
  parts.Extend(Part::kMarks, std::string(5000, 'a'));
  WriteBatch first;
  parts.AddTo(first);
  ASSERT_TRUE(store.Write(first, false).ok());
  model[9000] = 'x';
  parts.Put(Part::kRun, model);
  parts.Extend(Part::kMarks, "b");
  WriteBatch second;
  parts.AddTo(second);
  EXPECT_EQ(second.changes().size(), 3u);  // a page of each, and the new size of one
  ASSERT_TRUE(store.Write(second, false).ok());
  parts.Put(Part::kRun, "short");
  WriteBatch third;
  parts.AddTo(third);
  ASSERT_TRUE(store.Write(third, false).ok());
  PagedParts again;
  ASSERT_TRUE(again.Load(store).ok());
  EXPECT_EQ(again.Get(Part::kRun), "short");
  EXPECT_EQ(again.Get(Part::kMarks), std::string(5000, 'a') + "b");
}

TEST_F(FolderTest, KeysAreForTheOwnerOnlyAndDamageIsFound) {
  SeededRandom random(1);
  const SodiumHasher hasher;
  const auto folder = StateFolder::Open(Path("state")).value();
  Uuid state_id;
  {
    const auto shard = ShardFolder::Open(*folder, {3}, random, hasher).value();
    state_id = shard->identity().state;
    EXPECT_TRUE(shard->is_new());
  }
  const auto identity = folder_ / "state" / "shard-3" / "identity";
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(identity).permissions(),
            perms::owner_read | perms::owner_write);
  EXPECT_EQ(std::filesystem::status(folder_ / "state").permissions(), perms::owner_all);
  SystemRandom other;
  EXPECT_EQ(ShardFolder::Open(*folder, {3}, other, hasher).value()->identity().state, state_id);
  EXPECT_EQ(folder->Shards().value(), std::vector<ShardId>{{3}});
  std::fstream file(identity, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(40);
  file.put('!');
  file.close();
  EXPECT_EQ(ShardFolder::Open(*folder, {3}, other, hasher).status().code(), ErrorCode::kInput);
  std::filesystem::remove(identity);
  EXPECT_EQ(ShardFolder::Open(*folder, {3}, other, hasher).status().code(), ErrorCode::kInput);
}

// Also one that this program wrote before the format had a name of its own.
TEST_F(FolderTest, AStateOfAnotherFormatIsRefusedByName) {
  SeededRandom random(4);
  const SodiumHasher hasher;
  const auto folder = StateFolder::Open(Path("state")).value();
  ASSERT_TRUE(ShardFolder::Open(*folder, {0}, random, hasher).ok());
  const auto identity = folder_ / "state" / "shard-0" / "identity";
  for (const char* format : {"lethe.state/7", "lethe.identity/2"}) {
    std::ofstream(identity, std::ios::binary) << format << "\n" << std::string(200, 'x');
    const auto opened = ShardFolder::Open(*folder, {0}, random, hasher);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.status().code(), ErrorCode::kInput);
    EXPECT_EQ(opened.status().message(),
              "shard 0: " + identity.string() + " says that the state has the format " + format +
                  ". This program reads lethe.state/1 only, and has changed nothing");
    EXPECT_EQ(ReadIdentity(Path("state"), {0}, hasher).status().code(), ErrorCode::kInput);
  }
}

TEST_F(FolderTest, OneOwnerAtATime) {
  const auto first = StateFolder::Open(Path("state")).value();
  const auto second = StateFolder::Open(Path("state"));
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), ErrorCode::kInput);
}

}  // namespace
}  // namespace lethe::store_test
