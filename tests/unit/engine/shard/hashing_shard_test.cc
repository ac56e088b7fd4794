#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "app/replay/replay.h"
#include "connectors/file/stream_writer.h"
#include "engine/admission/feature_hash.h"
#include "engine/base/json.h"
#include "engine/modes/online_unlearner.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_random.h"
#include "tests/support/shard_fixture.h"

namespace lethe::hashing_shard_test {
namespace {

namespace fs = std::filesystem;

class HashedShardTest : public testing::ShardFixture {
 protected:
  HashedShardTest() {
    spec.model.dimension = 0;
    spec.model.hash_bits = 6;
    spec.model.bias = true;
  }

  Record Named(EventKind kind, const std::string& id, const std::string& subject) {
    Record record = Make(kind, id, subject);
    record.event.x.clear();
    for (int i = 0; i < 5; ++i) {
      record.event.named.emplace_back("word " + std::to_string(dice.Below(1000)), 0.3);
    }
    record.event.y = dice.Chance(0.5) ? 1 : -1;
    return record;
  }
  void LearnNamed(const std::string& id, const std::string& subject) {
    ASSERT_TRUE(Feed(Named(EventKind::kLearn, id, subject)).ok());
  }
  void LearnMany(int count) {
    for (int i = 0; i < count; ++i) {
      LearnNamed("e" + std::to_string(offset), "u" + std::to_string(dice.Below(10)));
    }
  }

  proof::Dice dice{17};
};

TEST_F(HashedShardTest, RefusesDenseEventsAndLearnsNothing) {
  ASSERT_TRUE(Feed(Make(EventKind::kLearn, "a", {})).ok());
  EXPECT_EQ(probe.rejected, (std::vector<Reason>{Reason::kWrongDimension}));
  EXPECT_TRUE(shard->unlearner().model().isZero(0));
  EXPECT_EQ(state.events(), 0u);
}

TEST_F(HashedShardTest, PassiveForgetsASubjectWithNoiseOnEveryWeight) {
  spec.model.hash_bits = 12;
  LearnMany(200);
  EXPECT_EQ(shard->unlearner().model().size(), 4097);
  EXPECT_FALSE((shard->unlearner().model().array() != 0).all());
  Delete({}, "u3");
  EXPECT_EQ(Outcomes(), (std::vector<std::string>{"forgotten"}));
  EXPECT_TRUE((shard->unlearner().model().array() != 0).all());
  EXPECT_LE(shard->unlearner().model().norm(), 12);
  EXPECT_EQ(probe.sigmas.size(), 1u);
  LearnMany(50);
  Delete({}, "u3");  // what came later is a new start
  EXPECT_EQ(Outcomes().back(), "forgotten");
}

// A deletion needs at least the noise for what rounding alone leaves, and never none.
TEST_F(HashedShardTest, OldEventsStillCostTheirRoundOff) {
  LearnNamed("old", "u");
  LearnMany(5000);
  Delete("old");
  ASSERT_EQ(probe.sigmas.size(), 1u);
  const Constants c = Plan::Make(spec).value().constants;
  EXPECT_GT(probe.sigmas[0], 1000 * 0x1p-53 * c.radius);
  EXPECT_LT(probe.sigmas[0], 1e-6);
}

TEST_F(HashedShardTest, RetrainEqualsARunThatNeverLearnedThem) {
  spec.forgetting.mode = "retrain";
  std::vector<Record> records;
  for (int i = 0; i < 300; ++i) {
    records.push_back(
        Named(EventKind::kLearn, "e" + std::to_string(i), "u" + std::to_string(i % 7)));
    ASSERT_TRUE(Feed(records.back()).ok());
  }
  EXPECT_GT(payloads.bytes(), 300 * 4 * 12);
  Delete({}, "u2");
  Delete("e0");

  const Plan plan = Plan::Make(spec).value();
  OnlineRun never = NewOnlineRun(spec, plan.constants, plan.schedule);
  Example example;
  for (int i = 0; i < 300; ++i) {
    ASSERT_FALSE(
        EventValidator(spec.model).Admit(records[static_cast<std::size_t>(i)].event, example));
    if (i % 7 == 2 || i == 0) {
      never.Skip();
    } else {
      never.Learn(example);
    }
  }
  EXPECT_EQ(shard->unlearner().model(), never.model());
}

TEST_F(HashedShardTest, RestartAndNoneWorkToo) {
  spec.forgetting.mode = "restart";
  LearnMany(20);
  Delete("e19");
  EXPECT_TRUE(shard->unlearner().model().isZero(0));

  StartAnew();
  spec.forgetting.mode = "none";
  LearnMany(20);
  const Vector model = shard->unlearner().model();
  Delete({}, "u1");
  EXPECT_EQ(shard->unlearner().model(), model);
}

TEST_F(HashedShardTest, UpdatesReplaceNamedFeatures) {
  LearnNamed("e", "u");
  ASSERT_TRUE(Feed(Named(EventKind::kUpdate, "e", "u")).ok());
  EXPECT_EQ(Outcomes(), (std::vector<std::string>{"forgotten"}));
  EXPECT_EQ(shard->counters().updates, 1);
}

TEST(HashedPayloadsTest, CountValuesAndIndicesAndEraseBoth) {
  MemoryPayloads payloads;
  payloads.Add({0}, {Vector::Constant(3, 0.5), 1, {1, 5, 9}});
  payloads.Add({1}, {Vector(), 1, {}});
  EXPECT_EQ(payloads.bytes(), (3 + 1) * 8 + 3 * 4 + 8);
  payloads.Remove({0});
  EXPECT_EQ(payloads.bytes(), 8);
  EXPECT_EQ(payloads.count(), 1);
}

// Whole replays of a stream with names, compared byte by byte.
class HashedReplayTest : public ::testing::Test {
 protected:
  HashedReplayTest()
      : folder_(fs::temp_directory_path() / ("lethe-hashing-test-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    spec_.model.hash_bits = 8;
    spec_.model.bias = true;
    spec_.model.oversized = Oversized::kRescale;
    spec_.noise.source = NoiseKind::kSeeded;
    WriteStream();
  }
  ~HashedReplayTest() override { fs::remove_all(folder_); }

  void WriteStream() {
    auto out = StreamWriter::Open(folder_ / "events.ndjson");
    ASSERT_TRUE(out.ok());
    proof::Dice dice(18);
    for (int i = 0; i < 3000; ++i) {
      JsonWriter json;
      json.BeginObject();
      if (dice.Chance(0.02)) {
        json.Field("type", "delete").Field("subject", "u" + std::to_string(dice.Below(50)));
      } else {
        json.Field("type", "learn").Field("subject", "u" + std::to_string(dice.Below(50)));
        json.Field("id", "e" + std::to_string(i)).Key("f").BeginObject();
        const std::int64_t features = dice.Below(12);
        for (std::int64_t k = 0; k < features; ++k) {
          json.Field("\xc3\xa9\"word\" " + std::to_string(dice.Below(500)), dice.Normal());
        }
        json.EndObject().Field("y", std::int64_t{dice.Chance(0.5) ? 1 : -1});
      }
      ASSERT_TRUE(out.value()->WriteLine(json.EndObject().text()).ok());
    }
    ASSERT_TRUE(out.value()->Close().ok());
  }

  Counters Run(const std::string& out, std::size_t batch) {
    ReplayOptions options;
    options.out = folder_ / out;
    options.batch = batch;
    const auto result =
        ReplayFile(Plan::Make(spec_).value(), folder_ / "events.ndjson", options, false);
    EXPECT_TRUE(result.ok()) << result.status().message();
    return result.value().total;
  }

  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
  }

  fs::path folder_;
  Spec spec_ = PassiveSpec();
};

TEST_F(HashedReplayTest, IsBitIdenticalAcrossRunsAndBatchSizes) {
  for (const char* mode : {"passive", "none", "restart", "retrain"}) {
    spec_.forgetting.mode = mode;
    const Counters counters = Run("a", 1024);
    EXPECT_GT(counters.learned, 2800);
    EXPECT_GT(counters.forgotten_events, 1000) << mode;
    EXPECT_EQ(counters.rejected, Counters().rejected);
    Run("b", 1);
    Run("c", 7);
    for (const char* name : {"/model.json", "/receipts.ndjson", "/notices.ndjson", "/series.csv"}) {
      const std::string expected = Read(std::string("a") + name);
      EXPECT_EQ(Read(std::string("b") + name), expected) << mode << name;
      EXPECT_EQ(Read(std::string("c") + name), expected) << mode << name;
    }
    EXPECT_FALSE(Read("a/receipts.ndjson").empty());
  }
}

TEST_F(HashedReplayTest, TheModelSaysHowItWasHashed) {
  Run("a", 1024);
  simdjson::dom::parser parser;
  simdjson::dom::element model;
  ASSERT_EQ(parser.parse(Read("a/model.json")).get(model), simdjson::SUCCESS);
  EXPECT_EQ(std::int64_t{model["dimension"]}, 256);
  EXPECT_EQ(std::int64_t{model["hash_bits"]}, 8);
  EXPECT_EQ(std::string_view{model["hash"]}, "fnv1a64-splitmix64");
  EXPECT_EQ(model["weights"].get_array().value().size(), 256u);
  EXPECT_NE(double{model["intercept"]}, 0);
}

}  // namespace
}  // namespace lethe::hashing_shard_test
