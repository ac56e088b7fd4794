#include "app/replay/replay.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "app/generate/generator.h"
#include "app/model/merge.h"
#include "app/receipts/chain.h"
#include "app/replay/result_files.h"
#include "connectors/system/sodium_hash.h"
#include "tests/support/passive_spec.h"

namespace lethe::replay_test {
namespace {

namespace fs = std::filesystem;

// Replays of one generated stream; results are compared byte by byte.
class ReplayTest : public ::testing::Test {
 protected:
  ReplayTest()
      : folder_(fs::temp_directory_path() / ("lethe-replay-test-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    spec_.model.dimension = 5;
    spec_.noise.source = NoiseKind::kSeeded;
    options_.events = 3000;
    options_.dimension = 5;
    options_.subjects = 50;
    options_.deletions = 0.02;
  }
  ~ReplayTest() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return folder_ / name; }

  std::string MakeStream(const std::string& name) {
    auto out = StreamWriter::Open(Path(name));
    EXPECT_TRUE(out.ok());
    EXPECT_TRUE(Generate(options_, *out.value()).ok());
    EXPECT_TRUE(out.value()->Close().ok());
    return Path(name);
  }

  Result<ReplayResult> Run(const std::string& stream, const std::string& out,
                           std::size_t batch = 1024, const std::string& state = "",
                           std::int64_t partitions = 1) {
    const auto plan = Plan::Make(spec_, partitions);
    EXPECT_TRUE(plan.ok());
    ReplayOptions options;
    options.out = Path(out);
    options.batch = batch;
    options.state = state;
    options.commit_events = 100;
    return ReplayFile(plan.value(), stream, options, false);
  }

  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  // Model, receipts, notices and series of two runs are the same bytes.
  void ExpectSame(const std::string& a, const std::string& b) {
    for (const char* name : {"/model.json", "/receipts.ndjson", "/notices.ndjson", "/series.csv"}) {
      EXPECT_EQ(Read(a + name), Read(b + name)) << name;
    }
    EXPECT_FALSE(Read(a + "/receipts.ndjson").empty());
  }

  fs::path folder_;
  Spec spec_ = PassiveSpec();
  GenerateOptions options_;
};

TEST_F(ReplayTest, IsBitIdenticalAcrossRunsFormsAndBatchSizes) {
  for (const Pattern pattern : {Pattern::kUniform, Pattern::kSubject, Pattern::kBurst}) {
    options_.pattern = pattern;
    const std::string plain = MakeStream("events.ndjson");
    ASSERT_TRUE(Run(plain, "a").ok());
    ASSERT_TRUE(Run(plain, "b").ok());
    ASSERT_TRUE(Run(MakeStream("events.ndjson.gz"), "gz").ok());
    ASSERT_TRUE(Run(MakeStream("events.ndjson.zst"), "zst").ok());
    ASSERT_TRUE(Run(plain, "one", 1).ok());
    ASSERT_TRUE(Run(plain, "many", 100000).ok());
    for (const char* other : {"b", "gz", "zst", "one", "many"}) ExpectSame("a", other);
  }
}

TEST_F(ReplayTest, AStateOnDiskChangesNothingAndIsMadeOnce) {
  const std::string stream = MakeStream("events.ndjson");
  ASSERT_TRUE(Run(stream, "memory").ok());
  ASSERT_TRUE(Run(stream, "disk", 1024, Path("state")).ok());
  ExpectSame("memory", "disk");
  EXPECT_TRUE(fs::exists(Path("state/shard-0/db")));
  const auto again = Run(stream, "again", 1024, Path("state"));
  ASSERT_FALSE(again.ok());
  EXPECT_NE(again.status().message().find("is not empty"), std::string::npos);
}

TEST_F(ReplayTest, EnvelopesGiveTheSameModelAndReceiptsAsBareEvents) {
  // Envelopes carry time, so only what does not depend on it is compared byte by byte.
  options_.pattern = Pattern::kSubject;
  const auto bare = Run(MakeStream("events.ndjson"), "bare");
  options_.envelopes = true;
  const auto envelopes = Run(MakeStream("envelopes.ndjson"), "envelopes");
  ASSERT_TRUE(bare.ok() && envelopes.ok());
  EXPECT_EQ(Read("bare/model.json"), Read("envelopes/model.json"));
  EXPECT_EQ(Read("bare/series.csv"), Read("envelopes/series.csv"));
  ASSERT_TRUE(Run(Path("envelopes.ndjson"), "again", 7).ok());
  ExpectSame("envelopes", "again");
}

// Four partitions: the summary speaks of what all of them serve together.
TEST_F(ReplayTest, SeveralPartitionsDivideTheBudget) {
  options_.pattern = Pattern::kSubject;
  std::ofstream out(Path("four.ndjson"));
  std::ifstream events(MakeStream("events.ndjson"));
  std::int64_t n = 0;
  for (std::string line; std::getline(events, line); ++n) {
    out << R"({"key":"user-)" << n % 50 << R"(","partition":)" << n % 50 % 4 << R"(,"offset":)" << n
        << R"(,"value":)" << line << "}\n";
  }
  out.close();
  EXPECT_EQ(PartitionsIn(Path("events.ndjson")).value(), 1);
  EXPECT_EQ(PartitionsIn(Path("four.ndjson")).value(), 4);
  const Plan plan = Plan::Make(spec_, 4).value();
  const auto result = ReplayFile(plan, Path("four.ndjson"), {}, false);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_EQ(result.value().shards.size(), 4u);
  const std::string summary = SummaryJson(plan, result.value(), SodiumHasher());
  EXPECT_NE(summary.find(R"("epsilon":1,)"), std::string::npos) << summary;
  EXPECT_NE(summary.find(R"("shards":4,"shard_mu":0.1183)"), std::string::npos) << summary;
  // What was divided for fewer shards than there are is not stated for all.
  const auto fewer = Run(Path("four.ndjson"), "fewer");
  ASSERT_FALSE(fewer.ok());
  EXPECT_NE(fewer.status().message().find("--partitions"), std::string::npos);
}

TEST_F(ReplayTest, AModelOfSeveralClassesHasARowOfWeightsForEach) {
  spec_.model.loss = LossKind::kSoftmax;
  spec_.model.classes = options_.classes = 3;
  ASSERT_TRUE(Run(MakeStream("events.ndjson"), "a").ok());
  const auto model = ReadModel(Path("a/model.json"), SodiumHasher());
  ASSERT_TRUE(model.ok()) << model.status().message();
  EXPECT_EQ(model.value().classes, 3);
  EXPECT_EQ(model.value().weights.size(), 3 * (5 + 1));
}

TEST_F(ReplayTest, AnotherSeedGivesAnotherModel) {
  const std::string stream = MakeStream("events.ndjson");
  ASSERT_TRUE(Run(stream, "a").ok());
  spec_.noise.seed = 2;
  ASSERT_TRUE(Run(stream, "b").ok());
  EXPECT_NE(Read("a/model.json"), Read("b/model.json"));
}

TEST_F(ReplayTest, SystemNoiseIsNeverTheSameTwice) {
  spec_.noise.source = NoiseKind::kSystem;
  const std::string stream = MakeStream("events.ndjson");
  ASSERT_TRUE(Run(stream, "a").ok());
  ASSERT_TRUE(Run(stream, "b").ok());
  EXPECT_NE(Read("a/model.json"), Read("b/model.json"));
}

TEST_F(ReplayTest, EachPartitionIsAShardWithItsOwnModelAndChain) {
  std::ofstream file(Path("two.ndjson"));
  for (int i = 0; i < 40; ++i) {
    file << R"({"key":"k","partition":)" << i % 2 << R"(,"offset":)" << i / 2
         << R"(,"value":{"type":"learn","id":"e)" << i << R"(","x":[0.5,0.1,0,0,)" << 0.01 * i
         << R"(],"y":)" << (i % 3 ? 1 : -1) << "}}\n";
  }
  file << R"({"key":"k","partition":1,"offset":20,"value":null})"
       << "\n";
  file.close();
  const auto result = Run(Path("two.ndjson"), "out", 1024, "", 2);
  ASSERT_TRUE(result.ok()) << result.status().message();
  ASSERT_EQ(result.value().shards.size(), 2u);
  EXPECT_EQ(result.value().shards[0].counters.forgotten_events, 0);
  EXPECT_EQ(result.value().shards[1].counters.forgotten_events, 20);
  EXPECT_EQ(result.value().shards[0].chain_entries, 0);
  EXPECT_EQ(result.value().shards[1].chain_entries, 1);
}

TEST_F(ReplayTest, ATruncatedArchiveWritesNothing) {
  const std::string stream = MakeStream("events.ndjson.gz");
  fs::resize_file(stream, fs::file_size(stream) / 2);
  const auto result = Run(stream, "out");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.status().code(), ErrorCode::kInput);
  EXPECT_TRUE(fs::is_empty(Path("out")));
}

TEST_F(ReplayTest, BadEventsLeaveTheModelAsTheCleanOnesAloneMakeIt) {
  const std::string clean = MakeStream("clean.ndjson");
  std::ifstream in(clean);
  std::ofstream out(Path("dirty.ndjson"));
  const char* garbage[] = {"{\"type\":\"learn\",\"x\":[1,2",
                           "nonsense",
                           "[]",
                           "{\"type\":\"learn\",\"x\":[9,9,9,9,9],\"y\":1}",
                           "{\"type\":\"learn\",\"x\":[0,0,0,0,1e999],\"y\":1}",
                           "{\"type\":\"learn\",\"x\":[0.1],\"y\":1}",
                           "{\"type\":\"learn\",\"x\":[0,0,0,0,0],\"y\":7}"};
  std::string line;
  for (std::size_t i = 0; std::getline(in, line); ++i) {
    out << line << "\n" << garbage[i % 7] << "\n";
  }
  out.close();
  const auto a = Run(clean, "a");
  const auto b = Run(Path("dirty.ndjson"), "b");
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a.value().shards[0].weights, b.value().shards[0].weights);
  EXPECT_EQ(b.value().total.records, 2 * a.value().total.records);
}

class ReceiptChain : public ReplayTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(Run(MakeStream("events.ndjson"), "out").ok());
    std::ifstream file(Path("out/receipts.ndjson"));
    for (std::string line; std::getline(file, line);) lines_.push_back(line);
    ASSERT_GT(lines_.size(), 10u);
  }

  Status Verify() {
    std::ofstream file(Path("out/receipts.ndjson"));
    for (const std::string& line : lines_) file << line << "\n";
    file.close();
    const auto book = ReadReceipts(Path("out"), SodiumHasher());
    return book.ok() ? VerifyChains(book.value()) : book.status();
  }

  std::vector<std::string> lines_;
};

TEST_F(ReceiptChain, HoldsAsWritten) { EXPECT_TRUE(Verify().ok()) << Verify().message(); }

TEST_F(ReceiptChain, BreaksWhenAByteIsFlipped) {
  lines_[3][200] ^= 1;
  EXPECT_EQ(Verify().code(), ErrorCode::kCheckFailed);
}

TEST_F(ReceiptChain, BreaksWhenAnEntryIsRemoved) {
  for (const std::size_t k : {std::size_t{0}, std::size_t{4}, lines_.size() - 1}) {
    const std::vector<std::string> all = lines_;
    lines_.erase(lines_.begin() + static_cast<std::ptrdiff_t>(k));
    EXPECT_EQ(Verify().code(), ErrorCode::kCheckFailed) << k;
    lines_ = all;
  }
}

TEST_F(ReceiptChain, BreaksWhenTwoEntriesAreSwapped) {
  std::swap(lines_[2], lines_[5]);
  EXPECT_EQ(Verify().code(), ErrorCode::kCheckFailed);
}

TEST_F(ReceiptChain, BreaksWhenAnEntryIsRepeatedOrForeign) {
  lines_.push_back(lines_[2]);
  EXPECT_EQ(Verify().code(), ErrorCode::kCheckFailed);
  lines_.back() = "{\"format\":\"something\"}";
  EXPECT_EQ(Verify().code(), ErrorCode::kCheckFailed);
}

}  // namespace
}  // namespace lethe::replay_test
