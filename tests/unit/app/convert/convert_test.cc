// Conversions between the forms of a recorded stream. Refusals first.

#include "app/convert/convert.h"

#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/generate/generator.h"
#include "app/replay/replay.h"
#include "connectors/file/recorded_stream.h"
#include "tests/support/binary_records.h"
#include "tests/support/passive_spec.h"
#include "tests/unit/connectors/test_files.h"

namespace lethe::convert_test {
namespace {

using testing::Describe;
using testing::ReadAll;
using testing::TemporaryDirectory;

ConvertOptions Options(NumberWidth width, bool skip_bad) {
  ConvertOptions options;
  options.width = width;
  options.skip_bad = skip_bad;
  return options;
}

const ConvertOptions kSkipBad = Options(NumberWidth::kFloat64, true);
const ConvertOptions kFloat32 = Options(NumberWidth::kFloat32, false);

class ConvertTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return directory_.Path(name); }

  Result<ConvertResult> Run(const std::string& in, const std::string& out,
                            ConvertOptions options = {}) {
    options.in = Path(in);
    options.out = Path(out);
    options.to = FormOfName(out).value();
    return Convert(options);
  }

  void ExpectConverted(const std::string& in, const std::string& out, ConvertOptions options = {}) {
    const auto result = Run(in, out, options);
    EXPECT_TRUE(result.ok()) << result.status().message();
  }

  void ExpectRefused(const std::string& in, const std::string& out, const std::string& message,
                     ConvertOptions options = {}) {
    const std::size_t files = FileCount();
    const auto result = Run(in, out, options);
    ASSERT_FALSE(result.ok()) << message;
    EXPECT_EQ(result.status().code(), ErrorCode::kInput);
    EXPECT_EQ(result.status().message(), Path(in) + message);
    EXPECT_EQ(FileCount(), files) << "nothing is left";
  }

  std::size_t FileCount() const {
    const std::filesystem::directory_iterator files(directory_.path());
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  std::vector<std::string> Records(const std::string& name) {
    std::vector<std::string> records;
    auto stream = RecordedStream::Open(Path(name));
    std::vector<Record> batch;
    for (;;) {
      const auto count = stream.value()->ReadRecords(batch, 100);
      EXPECT_TRUE(count.ok()) << count.status().message();
      if (!count.ok() || count.value() == 0) return records;
      for (std::size_t i = 0; i < count.value(); ++i) records.push_back(Describe(batch[i]));
    }
  }

  void Generated(const std::string& name, GenerateOptions options) {
    auto out = StreamWriter::Open(Path(name));
    ASSERT_TRUE(Generate(options, *out.value()).ok());
    ASSERT_TRUE(out.value()->Close().ok());
  }

  TemporaryDirectory directory_;
};

constexpr const char* kMixed = R"({"type":"learn","id":"a","x":[0.1,0.2],"y":1})"
                               "\n"
                               R"({"type":"learn","id":"b","x":[0.1,"0.2"],"y":1})"
                               "\n"
                               R"({"type":"delete","id":[]})"
                               "\n"
                               R"({"type":"learn","id":"c","x":[0.1,0.2],"y":1})"
                               "\n";

TEST_F(ConvertTest, ABadRecordIsRefusedWithItsPlaceAndNothingIsWritten) {
  directory_.Write("in.ndjson", kMixed);
  const std::string outcome = "; nothing was written, --skip-bad leaves such records out";
  for (const char* out : {"out.lethe", "out.lethe.gz", "out.ndjson"}) {
    ExpectRefused("in.ndjson", out,
                  ": 2 records cannot be converted, the first of them: line 2: x[1] is not a "
                  "number" +
                      outcome);
  }
  directory_.Write("one.ndjson", "{\"type\":\"delete\",\"id\":\"a\"}\n\nhello\n");
  ExpectRefused("one.ndjson", "out.lethe",
                ": a record cannot be converted: line 3: not JSON, or cut off" + outcome);
}

TEST_F(ConvertTest, ARefusalLeavesTheOldFileAlone) {
  directory_.Write("in.ndjson", kMixed);
  directory_.Write("out.lethe", "old");
  EXPECT_FALSE(Run("in.ndjson", "out.lethe").ok());
  EXPECT_EQ(ReadAll(Path("out.lethe")), "old");
}

TEST_F(ConvertTest, AnInputThatCannotBeReadToItsEndIsRefused) {
  GenerateOptions options;
  options.events = 5000;
  Generated("in.ndjson", options);
  const auto converted = Run("in.ndjson", "whole.lethe");
  ASSERT_TRUE(converted.ok());
  const std::string whole = ReadAll(Path("whole.lethe"));
  directory_.Write("cut.lethe", whole.substr(0, whole.size() - 1));
  ExpectRefused("cut.lethe", "out.ndjson",
                ", byte " + std::to_string(whole.size() - 1) + ", record " +
                    std::to_string(converted.value().records + 1) +
                    ": the recording breaks off; the file is truncated");
  directory_.Write("empty.ndjson", "");
  ExpectRefused("empty.ndjson", "out.lethe", " holds no events");
  EXPECT_EQ(Run("missing", "out.lethe").status().code(), ErrorCode::kInput);
  EXPECT_EQ(Run("in.ndjson", "no/such/folder.lethe").status().code(), ErrorCode::kDisk);
}

TEST_F(ConvertTest, WithSkipBadTheOthersKeepTheirPlaces) {
  directory_.Write("in.ndjson", kMixed);
  const auto result = Run("in.ndjson", "out.lethe", kSkipBad);
  ASSERT_TRUE(result.ok()) << result.status().message();
  EXPECT_EQ(result.value().records, 2);
  EXPECT_EQ(result.value().skipped, 2);
  EXPECT_EQ(result.value().skipped_by_reason,
            (std::map<std::string, std::int64_t>{{"wrong_type", 2}}));
  EXPECT_EQ(result.value().skipped_requests, 1);
  const std::vector<std::string> before = Records("in.ndjson");
  EXPECT_EQ(Records("out.lethe"), (std::vector<std::string>{before[0], before[3]}));
  // The offset 3 would be lost in a bare event.
  ExpectConverted("out.lethe", "out.ndjson");
  EXPECT_EQ(Records("out.ndjson"), Records("out.lethe"));
  EXPECT_EQ(ReadAll(Path("out.ndjson")),
            "{\"type\":\"learn\",\"id\":\"a\",\"x\":[0.1,0.2],\"y\":1}\n"
            "{\"partition\":0,\"offset\":3,\"value\":{\"type\":\"learn\",\"id\":\"c\",\"x\":[0.1,"
            "0.2],\"y\":1}}\n");
}

TEST_F(ConvertTest, WhenEveryRecordIsBadSkipBadWritesNothingEither) {
  directory_.Write("in.ndjson", "hello\nworld\n");
  ExpectRefused("in.ndjson", "out.lethe",
                " holds no event that can be read; the first problem: line 1: not JSON, or cut off",
                kSkipBad);
}

TEST_F(ConvertTest, WhatTheOtherFormCannotHoldIsRefusedWithItsPlace) {
  directory_.Write("in.ndjson", R"({"type":"delete","id":"a"})"
                                "\n\n"
                                R"({"type":"learn","x":[1,1e39],"y":1})");
  ExpectRefused(
      "in.ndjson", "out.lethe",
      ": a record cannot be converted: line 3: x[1] is too large for float32; nothing was "
      "written, --skip-bad leaves such records out",
      kFloat32);
  const auto skipped = Run("in.ndjson", "out.lethe", Options(NumberWidth::kFloat32, true));
  ASSERT_TRUE(skipped.ok());
  EXPECT_EQ(skipped.value().skipped_by_reason,
            (std::map<std::string, std::int64_t>{{"not_finite", 1}}));
  EXPECT_EQ(skipped.value().skipped_requests, 0);

  std::vector<Record> large = {
      testing::At(0, 0, -1, testing::Delete("a", {})),
      testing::At(0, 1, -1, testing::Learn("b", std::vector<double>(200'000, 0.12345678), 1))};
  directory_.Write("large.lethe", testing::EncodeFile(large));
  ExpectRefused("large.lethe", "large.ndjson",
                ": a record cannot be converted: record 2: larger than 1048576 bytes as a line of "
                "JSON; nothing was written, --skip-bad leaves such records out");
}

TEST_F(ConvertTest, EveryRecordIsTheSameInEveryForm) {
  directory_.Write(
      "in.ndjson",
      R"({"key":"k","partition":2,"offset":7,"timestamp":1700000000000,"arrival":1600000000000,"headers":{"a":"b"},"value":{"type":"learn","id":"a","x":[0.1,-0.0,1e300],"y":1}})"
      "\n"
      R"({"key":"k","partition":2,"value":null})"
      "\n"
      R"({"type":"learn","f":{"b":1,"a":2,"b":3},"y":-1,"extra":[]})"
      "\n"
      R"({"partition":1,"timestamp":0,"value":{"type":"update","id":81,"subject":"s","f":{},"y":1}})"
      "\n"
      R"({"key":"k","value":{"type":"delete","id":"\u0000\u00e9","request":""}})"
      "\n"
      R"({"type":"delete","subject":"s","request":"r"})"
      "\n"
      R"({"type":"learn","id":"w","x":[0.1],"y":"caf\u00e9","w":0.1})"
      "\n"
      R"({"type":"update","id":"w","f":{"a":2},"y":-1,"w":0})"
      "\n");
  const std::vector<std::string> before = Records("in.ndjson");
  ASSERT_EQ(before.size(), 8u);
  std::string last = "in.ndjson";
  for (const char* next : {"a.lethe", "b.ndjson", "c.lethe.gz", "d.json.zst", "e.lethe.zst",
                           "f.jsonl.gz", "g.lethe"}) {
    ExpectConverted(last, next);
    EXPECT_EQ(Records(next), before) << next;
    last = next;
  }
  EXPECT_EQ(ReadAll(Path("a.lethe")), ReadAll(Path("g.lethe")));
}

TEST_F(ConvertTest, CanonicalJsonSurvivesByteForByte) {
  GenerateOptions options;
  options.events = 3000;
  options.pattern = Pattern::kSubject;
  for (const bool envelopes : {false, true}) {
    options.envelopes = envelopes;
    Generated("in.ndjson", options);
    ExpectConverted("in.ndjson", "canonical.ndjson");
    ExpectConverted("canonical.ndjson", "binary.lethe");
    ExpectConverted("binary.lethe", "back.ndjson");
    EXPECT_TRUE(ReadAll(Path("back.ndjson")) == ReadAll(Path("canonical.ndjson")));
    if (!envelopes) {
      EXPECT_TRUE(ReadAll(Path("in.ndjson")) == ReadAll(Path("canonical.ndjson")));
    }
    EXPECT_EQ(ReadAll(Path("canonical.ndjson")).starts_with("{\"type\":"), !envelopes);
  }
}

TEST_F(ConvertTest, EnvelopesStayEnvelopesEvenWhereABareEventWouldDo) {
  directory_.Write("in.ndjson", R"({"offset":0,"value":{"type":"delete","id":"a"}})");
  ExpectConverted("in.ndjson", "a.lethe");
  ExpectConverted("a.lethe", "b.ndjson");
  EXPECT_EQ(ReadAll(Path("b.ndjson")),
            "{\"partition\":0,\"offset\":0,\"value\":{\"type\":\"delete\",\"id\":\"a\"}}\n");
}

TEST_F(ConvertTest, Float32CountsWhatItChanges) {
  directory_.Write("in.ndjson", R"({"type":"learn","x":[0.5,0.1],"y":0.3})"
                                "\n"
                                R"({"type":"learn","x":[0.5,0.25],"y":1})"
                                "\n");
  const auto result = Run("in.ndjson", "a.lethe", kFloat32);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.value().inexact_values, 2);
  EXPECT_EQ(result.value().inexact_records, 1);
  EXPECT_EQ(Run("in.ndjson", "b.lethe").value().inexact_values, 0);
  // Once floats, they stay as they are.
  EXPECT_EQ(Run("a.lethe", "c.lethe", kFloat32).value().inexact_values, 0);
  ExpectConverted("a.lethe", "d.ndjson");
  EXPECT_EQ(Records("d.ndjson"), Records("a.lethe"));
  EXPECT_EQ(ReadAll(Path("a.lethe")), ReadAll(Path("c.lethe")));
}

TEST_F(ConvertTest, TheCountsAreJson) {
  directory_.Write("in.ndjson", kMixed);
  EXPECT_EQ(ConvertJson(kSkipBad, Run("in.ndjson", "out.lethe", kSkipBad).value()),
            R"({"form":"binary","records":2,"learn":2,"delete":0,"update":0,)"
            R"("skipped":{"wrong_type":2},"skipped_requests":1,)"
            R"("inexact_values":0,"inexact_records":0})");
}

TEST_F(ConvertTest, TheNameSaysTheForm) {
  for (const char* name : {"a.ndjson", "a.json", "a.jsonl.gz", "a.ndjson.zst"}) {
    EXPECT_EQ(FormOfName(name), RecordedForm::kJson) << name;
  }
  for (const char* name : {"a.lethe", "a.json.lethe.gz", "a.lethe.zst"}) {
    EXPECT_EQ(FormOfName(name), RecordedForm::kBinary) << name;
  }
  for (const char* name : {"-", "a", "lethe", "a.gz", "a.lethe.gz.gz", "a.csv"}) {
    EXPECT_EQ(FormOfName(name), std::nullopt) << name;
  }
}

TEST_F(ConvertTest, AReplayOfTheBinaryFormIsBitIdentical) {
  GenerateOptions options;
  options.events = 3000;
  options.dimension = 5;
  options.subjects = 50;
  options.deletions = 0.02;
  Spec spec = PassiveSpec();
  spec.model.dimension = 5;
  spec.noise.source = NoiseKind::kSeeded;
  const auto plan = Plan::Make(spec);
  ASSERT_TRUE(plan.ok());
  for (const bool envelopes : {false, true}) {
    options.envelopes = envelopes;
    Generated("in.ndjson", options);
    ExpectConverted("in.ndjson", "in.lethe");
    ExpectConverted("in.lethe", "in.lethe.zst");
    for (const std::string name : {"in.ndjson", "in.lethe", "in.lethe.zst"}) {
      ReplayOptions replay;
      replay.out = Path(name + ".d");
      const auto result = ReplayFile(plan.value(), Path(name), replay, false);
      ASSERT_TRUE(result.ok()) << result.status().message();
    }
    for (const char* file : {"/model.json", "/receipts.ndjson", "/notices.ndjson", "/series.csv"}) {
      const std::string expected = ReadAll(Path("in.ndjson.d") + file);
      EXPECT_TRUE(ReadAll(Path("in.lethe.d") + file) == expected) << file;
      EXPECT_TRUE(ReadAll(Path("in.lethe.zst.d") + file) == expected) << file;
    }
    EXPECT_FALSE(ReadAll(Path("in.lethe.d") + "/receipts.ndjson").empty());
  }
}

}  // namespace
}  // namespace lethe::convert_test
