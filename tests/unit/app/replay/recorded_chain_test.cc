// A replay that obeys the receipts of an earlier run, and receipts that do not belong to it.

#include "app/replay/recorded_chain.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "app/generate/generator.h"
#include "app/replay/replay.h"
#include "connectors/file/stream_writer.h"
#include "tests/support/passive_spec.h"

namespace lethe::recorded_chain_test {
namespace {

namespace fs = std::filesystem;

class RecordedChainTest : public ::testing::Test {
 protected:
  RecordedChainTest()
      : folder_(fs::temp_directory_path() / ("lethe-recorded-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    spec_.model.dimension = 3;
    spec_.forgetting.mode = "rewind";
    spec_.forgetting.retention.events = 400;
    spec_.noise.source = NoiseKind::kSeeded;
    auto out = StreamWriter::Open(stream()).value();
    const GenerateOptions options{
        .events = 1000, .dimension = 3, .subjects = 50, .deletions = 0.02};
    EXPECT_TRUE(Generate(options, *out).ok());
    EXPECT_TRUE(out->Close().ok());
    EXPECT_EQ(Run("first", ""), "");
  }
  ~RecordedChainTest() override { fs::remove_all(folder_); }

  std::string stream() const { return folder_ / "stream"; }
  std::string Path(const std::string& name) const { return folder_ / name; }

  // The error of a replay; empty if it succeeds.
  std::string Run(const std::string& out, const std::string& receipts) {
    ReplayOptions options;
    options.out = Path(out);
    options.receipts = receipts;
    return ReplayFile(Plan::Make(spec_).value(), stream(), options, false).status().message();
  }
  std::vector<std::string> Lines(const std::string& path) const {
    std::vector<std::string> lines;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }
  void Write(const std::string& path, const std::vector<std::string>& lines) const {
    std::ofstream file(path);
    for (const std::string& line : lines) file << line << '\n';
  }
  void ExpectError(const std::string& error, const std::string& part) {
    EXPECT_NE(error.find(part), std::string::npos)
        << "not \"" << part << "\" but \"" << error << '"';
  }

  const fs::path folder_;
  Spec spec_ = PassiveSpec();
};

TEST_F(RecordedChainTest, TheReplayHasTheSameReceipts) {
  EXPECT_EQ(Run("second", Path("first")), "");
  EXPECT_EQ(Lines(Path("second/receipts.ndjson")), Lines(Path("first/receipts.ndjson")));
  EXPECT_EQ(Lines(Path("second/notices.ndjson")), Lines(Path("first/notices.ndjson")));
}

// Values of the receipts topic, one in a line; an entry that was published twice stands there
// twice.
TEST_F(RecordedChainTest, OneFileInAnyOrderWithRepeats) {
  std::vector<std::string> all = Lines(Path("first/notices.ndjson"));
  for (const std::string& line : Lines(Path("first/receipts.ndjson"))) all.push_back(line);
  all.push_back(all.front());
  Write(Path("topic"), all);
  EXPECT_EQ(Run("second", Path("topic")), "");
}

// Without a seed names and keys differ, and the decisions are the same.
TEST_F(RecordedChainTest, AnotherStateIsAcceptedWithoutASeed) {
  spec_.noise.source = NoiseKind::kSystem;
  EXPECT_EQ(Run("live", ""), "");
  EXPECT_EQ(Run("again", Path("live")), "");
  EXPECT_NE(Lines(Path("again/receipts.ndjson")), Lines(Path("live/receipts.ndjson")));
}

TEST_F(RecordedChainTest, AnotherSeedIsNamed) {
  spec_.noise.seed = 99;
  ExpectError(Run("second", Path("first")), "first/receipts.ndjson:1: ");
}

TEST_F(RecordedChainTest, AnotherConfigurationIsNamed) {
  spec_.model.lambda *= 2;
  ExpectError(Run("second", Path("first")),
              "receipts.ndjson:1: was written with another configuration");
}

TEST_F(RecordedChainTest, ABrokenChainIsNamed) {
  std::vector<std::string> receipts = Lines(Path("first/receipts.ndjson"));
  receipts.erase(receipts.begin() + 3);
  Write(Path("first/receipts.ndjson"), receipts);
  ExpectError(Run("second", Path("first")), "an entry before it is missing or was changed");
}

TEST_F(RecordedChainTest, AnotherStreamIsNamedWithThePlaceInTheReceipts) {
  std::vector<std::string> records = Lines(stream());
  const auto request = std::find_if(records.begin(), records.end(), [](const std::string& line) {
    return line.find("delete") != std::string::npos;
  });
  ASSERT_NE(request, records.end());
  records.erase(request);
  Write(stream(), records);
  ExpectError(Run("second", Path("first")), "first/receipts.ndjson:1: ");
}

TEST_F(RecordedChainTest, AStreamThatIsLongerOrShorterIsNamed) {
  const std::vector<std::string> records = Lines(stream());
  Write(stream(), {records.begin(), records.begin() + 900});
  ExpectError(Run("second", Path("first")), "first/receipts.ndjson:");
  EXPECT_EQ(Run("short", ""), "");
  Write(stream(), records);
  ExpectError(Run("second", Path("short")), "nothing says when the request of offset");
}

TEST_F(RecordedChainTest, AMissingFileIsNamed) {
  ExpectError(Run("second", Path("nothing")), Path("nothing"));
}

}  // namespace
}  // namespace lethe::recorded_chain_test
