// After an erasure nothing on disk tells how large a deleted payload was: not the size of a file,
// not where something lies in it, not the form of numbers that came later.

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "state/shard_folder.h"

namespace lethe::layout_test {
namespace {

namespace fs = std::filesystem;

// The payload that is deleted.
struct Deleted {
  std::size_t features;
  bool is_long;  // numbers that need eight bytes
};

class StateLayoutTest : public ::testing::Test {
 protected:
  StateLayoutTest() {
    base_ = fs::temp_directory_path() / ("lethe-layout-" + std::to_string(getpid()));
    fs::remove_all(base_);
  }
  ~StateLayoutTest() override { fs::remove_all(base_); }

  static Example Payload(std::size_t features, bool is_long, std::size_t seed) {
    std::minstd_rand random(static_cast<std::uint32_t>(seed) + 1);
    Example example{.x = Vector::Zero(static_cast<Eigen::Index>(features)), .y = 1, .at = {}};
    for (std::size_t i = 0; i < features; ++i) {
      const double number = static_cast<double>(random() % 1000) / 1000;
      example.x[static_cast<Eigen::Index>(i)] = is_long ? number / 3 : number;
      example.at.push_back(static_cast<std::uint32_t>(random()));
    }
    return example;
  }
  static LearnedEvent Event(std::int64_t index) {
    return {{index}, {index}, {static_cast<std::uint64_t>(index) + 1, 0}, std::nullopt};
  }

  struct World {
    std::map<std::string, std::string> payload_files;  // whole
    std::map<std::string, std::uint64_t> sizes;        // of all files
    std::map<std::string, std::int64_t> metric;
    std::uint64_t before = 0;  // bytes of payloads before the erasure
  };

  // Learns, forgets the one event, erases, and learns on.
  World Run(const Deleted& deleted, std::int64_t first_event) {
    constexpr std::int64_t kEvents = 1500;
    const std::int64_t at = first_event + 300;
    const fs::path path = base_ / "state";
    fs::remove_all(path);
    World world;
    {
      SeededRandom random(7);
      const SodiumHasher hasher;
      const auto folder = StateFolder::Open(path.string()).value();
      const auto shard = ShardFolder::Open(*folder, {0}, random, hasher).value();
      DurableState& state = shard->state();
      const auto learn = [&](std::int64_t from, std::int64_t to) {
        for (std::int64_t i = from; i < to; ++i) {
          state.AddEvent(Event(i));
          const bool is_deleted = i == at;
          state.payloads().Add(
              {i}, Payload(is_deleted ? deleted.features : 3 + i % 7, is_deleted && deleted.is_long,
                           static_cast<std::size_t>(i)));
          if (i % 8192 == 8191 || (i >= first_event && i % 100 == 99)) {
            EXPECT_TRUE(state.Commit(false).ok());
          }
        }
      };
      learn(0, first_event + kEvents / 2);
      EXPECT_TRUE(state.Commit(true).ok());
      world.before = PayloadBytes(path);
      state.RemoveEvent(Event(at));
      state.payloads().Remove({at});
      EXPECT_TRUE(state.Commit(true).ok());
      EXPECT_TRUE(state.Erase().ok());
      EXPECT_TRUE(state.Commit(true).ok());
      learn(first_event + kEvents / 2, first_event + kEvents);
      EXPECT_TRUE(state.WaitForWrites().ok());
      for (std::size_t i = 0; i < kFamilies; ++i) {
        const auto family = static_cast<Family>(i);
        world.metric[Name(family)] = shard->store().Bytes(family);
      }
      Look(path, world);
    }
    return world;
  }

  static std::uint64_t PayloadBytes(const fs::path& path) {
    std::uint64_t bytes = 0;
    for (const auto& entry : fs::directory_iterator(path / "shard-0" / "db" / "payloads")) {
      bytes += entry.file_size();
    }
    return bytes;
  }

  static void Look(const fs::path& path, World& world) {
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (!entry.is_regular_file()) continue;
      const std::string name = fs::relative(entry.path(), path).string();
      // RocksDB's own log of what it does has the times.
      if (entry.path().filename().string().starts_with("LOG")) continue;
      world.sizes[name] = entry.file_size();
      if (entry.path().parent_path().filename() != "payloads") continue;
      std::ostringstream text;
      text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      world.payload_files[name] = text.str();
    }
  }

  void ExpectTheSame(std::int64_t first_event, const std::vector<Deleted>& others) {
    const World expected = Run({1, false}, first_event);
    std::size_t larger = 0;
    for (const Deleted& deleted : others) {
      const World world = Run(deleted, first_event);
      larger += world.before > expected.before ? 1 : 0;
      EXPECT_EQ(world.sizes, expected.sizes) << deleted.features;
      EXPECT_EQ(world.metric, expected.metric) << deleted.features;
      EXPECT_TRUE(world.payload_files == expected.payload_files) << deleted.features;
      std::cout << deleted.features << " features: " << expected.before << " and " << world.before
                << " bytes of payloads before the erasure\n";
    }
    EXPECT_EQ(larger, others.size());  // so there was something to hide
  }

  fs::path base_;
};

TEST_F(StateLayoutTest, DoesNotTellHowLargeADeletedPayloadWas) {
  ExpectTheSame(0, {{5, false}, {40, false}, {40, true}});
}

// The event lies in the first of two groups of files, and what follows it in the second.
TEST_F(StateLayoutTest, DoesNotTellItInLaterFilesEither) {
  ExpectTheSame(65'536 - 400, {{40, true}});
}

}  // namespace
}  // namespace lethe::layout_test
