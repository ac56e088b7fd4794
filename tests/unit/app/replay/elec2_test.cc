// Elec2, the electricity market of New South Wales, through a whole shard: what forgetting costs in
// accuracy on a real stream that drifts. The reference figures stand in docs/guarantee.md,
// section 4.

#include <test_paths.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "connectors/file/line_reader.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "engine/shard/shard.h"
#include "state/memory_state.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/fakes.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_random.h"

namespace lethe::elec2_test {
namespace {

constexpr std::size_t kColumns = 6;       // and the class
constexpr std::size_t kPublicRows = 500;  // declared public, for the scaling

std::string DataPath() {
  const char* folder = std::getenv("LETHE_DATA");
  return (folder ? std::string(folder) : LETHE_SOURCE_DIR "/../shared/data") + "/elec2.csv.gz";
}

// The columns period, nswprice, nswdemand, vicprice, vicdemand, transfer, class of every row.
std::vector<std::vector<double>> ReadRows(const std::string& path) {
  std::vector<std::vector<double>> rows;
  auto reader = LineReader::Open(path);
  LineReader::Line line;
  while (reader.ok()) {
    const auto more = reader.value()->Next(line);
    if (!more.ok() || !more.value()) break;
    if (line.number == 1) continue;  // the header
    std::vector<double>& row = rows.emplace_back();
    const char* at = line.text.data();
    const char* end = at + line.text.size();
    for (double value = 0; at < end; at += at < end) {
      at = std::from_chars(at, end, value).ptr;
      row.push_back(value);
    }
  }
  return rows;
}

// Scaled by mean and deviation of the public rows, cut to three deviations, a constant appended,
// every row of norm 1. (Three columns do not change in the public rows: what is left of their
// deviation is rounding, and they become little more than the sign of a later change.)
std::vector<Record> Prepare(const std::vector<std::vector<double>>& rows) {
  std::vector<double> mean(kColumns, 0), deviation(kColumns, 0);
  for (std::size_t j = 0; j < kColumns; ++j) {
    for (std::size_t i = 0; i < kPublicRows; ++i) mean[j] += rows[i][j];
    mean[j] /= kPublicRows;
    for (std::size_t i = 0; i < kPublicRows; ++i) {
      deviation[j] += std::pow(rows[i][j] - mean[j], 2);
    }
    deviation[j] = std::sqrt(deviation[j] / kPublicRows);
  }
  std::vector<Record> records;
  for (const std::vector<double>& row : rows) {
    Record& record = records.emplace_back();
    record.event.id = std::to_string(records.size());
    record.event.y = row[kColumns] == 1 ? 1 : -1;
    Vector x(kColumns + 1);
    for (std::size_t j = 0; j < kColumns; ++j) {
      const double scaled = deviation[j] > 0 ? (row[j] - mean[j]) / deviation[j] : 0;
      x[static_cast<Eigen::Index>(j)] = std::clamp(scaled, -3.0, 3.0);
    }
    x[kColumns] = 1;
    x *= (1 - 1e-12) / x.norm();
    record.event.x.assign(x.begin(), x.end());
  }
  return records;
}

class Accuracy final : public Probe {
 public:
  void OnLearn(ShardId, const LearnedStep& step) override {
    ++events_;
    right_ += (step.prediction.score > 0) == (step.example.y > 0);
  }
  double value() const { return static_cast<double>(right_) / static_cast<double>(events_); }

 private:
  std::int64_t events_ = 0;
  std::int64_t right_ = 0;
};

struct Measured {
  double accuracy = 0;
  Counters counters;
};

// Every learn is followed with probability 1% by the deletion of a retained event, all alike.
Measured Replay(const std::vector<Record>& records, const LearningSpec& learning,
                const std::string& mode, Split split) {
  Spec spec = PassiveSpec();
  spec.model.dimension = kColumns + 1;
  spec.model.lambda = 0.003;
  spec.model.radius = 20;
  spec.learning = learning;
  spec.forgetting.mode = mode;
  spec.forgetting.split = split;
  spec.forgetting.shrink.off = true;  // the figures are from before it
  spec.noise.source = NoiseKind::kSeeded;
  const Plan plan = Plan::Make(spec).value();
  MemoryState state;
  MemoryPayloads payloads;
  testing::RecordingSink sink;
  Accuracy accuracy;
  const SodiumHasher hasher;
  SeededRandom random(spec.noise.seed);
  Shard shard(plan, ShardIdentity::New({0}, random),
              {state, payloads, sink, accuracy, hasher, random});

  CommitSteps steps;
  RecordFeeder feeder(shard, steps);
  proof::Dice dice(2024);
  std::vector<std::string> retained;
  Record request;
  request.event.kind = EventKind::kDelete;
  for (const Record& record : records) {
    EXPECT_TRUE(feeder.Process(record).ok());
    retained.push_back(*record.event.id);
    if (!dice.Chance(0.01)) continue;
    std::swap(retained[static_cast<std::size_t>(dice.Below(std::ssize(retained)))],
              retained.back());
    request.event.id = retained.back();
    retained.pop_back();
    EXPECT_TRUE(feeder.Process(request).ok());
  }
  return {accuracy.value(), shard.counters()};
}

class Elec2Test : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string path = DataPath();
    if (!std::filesystem::exists(path)) {
      GTEST_SKIP() << "no Elec2 data at " << path << "; set LETHE_DATA to its folder";
    }
    const auto rows = ReadRows(path);
    ASSERT_EQ(rows.size(), 45'312u);
    for (const auto& row : rows) ASSERT_EQ(row.size(), kColumns + 1);
    records_ = Prepare(rows);
  }

  void ReplayAll(const LearningSpec& learning) {
    none_ = Replay(records_, learning, "none", Split::kCurve);
    curve_ = Replay(records_, learning, "passive", Split::kCurve);
    zeta_ = Replay(records_, learning, "passive", Split::kZeta);
    std::printf(
        "Elec2, %s: %lld deletions, accuracy %.4f without forgetting, %.4f curve, %.4f zeta\n",
        Name(learning.schedule), static_cast<long long>(curve_.counters.effective_deletions),
        none_.accuracy, curve_.accuracy, zeta_.accuracy);
    for (const Measured* measured : {&none_, &curve_, &zeta_}) {
      EXPECT_EQ(measured->counters.learned, 45'312);
      EXPECT_EQ(measured->counters.forgotten_events, measured->counters.requests);
      EXPECT_NEAR(static_cast<double>(measured->counters.requests), 453, 70);
    }
    EXPECT_LT(curve_.counters.noise_variance, zeta_.counters.noise_variance);
  }

  std::vector<Record> records_;
  Measured none_, curve_, zeta_;
};

TEST_F(Elec2Test, ForgettingOnePercentCostsNothingAtAConstantStep) {
  ReplayAll({.schedule = ScheduleKind::kConstant, .eta = 4, .horizon = {}});
  EXPECT_NEAR(none_.accuracy, 0.861, 0.001);
  EXPECT_GE(curve_.accuracy, 0.855);
  EXPECT_NEAR(curve_.accuracy, none_.accuracy, 0.003);
  EXPECT_NEAR(zeta_.accuracy, 0.860, 0.004);
}

// Old noise fades slowly here, and the split adds more and more of it.
TEST_F(Elec2Test, CurveBeatsTheSplitWhenStepsDecrease) {
  ReplayAll({.schedule = ScheduleKind::kInverseSqrt, .eta = {}, .horizon = {}});
  EXPECT_NEAR(none_.accuracy, 0.811, 0.01);
  EXPECT_GE(curve_.accuracy, none_.accuracy - 0.01);
  EXPECT_GE(curve_.accuracy, zeta_.accuracy + 0.03);
}

}  // namespace
}  // namespace lethe::elec2_test
