// The streams that kept numbers refer to, and what their minimisers are like.
#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/learning/mean_cost.h"
#include "engine/learning/online_run.h"
#include "engine/learning/reset.h"
#include "tests/support/mode_fixture.h"
#include "tests/support/reference_data.h"

namespace lethe::testing::reference_stream_test {
namespace {

const Loss kLoss(LossKind::kLogistic);

// Rows [begin, n) of the data.
MemoryPayloads Stored(const std::vector<Example>& data, std::size_t begin) {
  MemoryPayloads payloads;
  for (std::size_t i = begin; i < data.size(); ++i) {
    payloads.Add({static_cast<std::int64_t>(i)}, data[i]);
  }
  return payloads;
}

Vector Minimiser(const MemoryPayloads& payloads, const Constants& c) {
  Vector z = Vector::Zero(20);
  EXPECT_TRUE(ResetTo(MeanCost(kLoss, c, payloads), c, 1e-11, z).ok());
  return z;
}

double Accuracy(const Vector& z, const std::vector<Example>& data) {
  int right = 0;
  for (const Example& example : data) right += z.dot(example.x) * example.y > 0;
  return right / static_cast<double>(data.size());
}

std::int64_t Positives(const std::vector<Example>& data) {
  return std::count_if(data.begin(), data.end(), [](const Example& e) { return e.y > 0; });
}

TEST(ReferenceStreams, StartWithTheKeptValues) {
  SplitMix random(1);
  EXPECT_EQ(SplitMix(1).Next(), 10451216379200822465u);
  for (const double u : {.5665615751722809, .7457817572627011, .9710027535867962}) {
    EXPECT_DOUBLE_EQ(random.Uniform(), u);
  }
  SplitMix normals(5);
  for (const double value : {.014334745996, .590620956887, -.472089855889}) {
    EXPECT_NEAR(normals.Normal(), value, 1e-11);
  }
  const auto data = ReferenceData(1, 20000, 20);
  EXPECT_NEAR(data[0].x[0], 0.064142306390492, 1e-14);
  EXPECT_NEAR(data[0].x[1], 0.236848493124348, 1e-14);
  const double labels[] = {1, -1, -1, -1, 1};
  for (std::size_t i = 0; i < 5; ++i) EXPECT_EQ(data[i].y, labels[i]);
  EXPECT_EQ(Positives({data.begin(), data.begin() + 1000}), 525);
  EXPECT_EQ(Positives(data), 9948);
}

TEST(ReferenceStreams, TheScatteredOneHasTheKeptSums) {
  const auto data = ScatteredData(1, 1000, 20);
  double x = 0, y = 0;
  for (const Example& example : data) x += example.x.sum(), y += example.y;
  ExpectRelative(x, -37.07126938980052, 1e-12);
  EXPECT_EQ(y, 6);
  const Constants c = PlainLogistic(0.01, 10);
  const MemoryPayloads payloads = Stored(data, 0);
  const MeanCost cost(kLoss, c, payloads);
  EXPECT_NEAR(cost.Value(Vector::Zero(20)), .693147180560, 1e-12);
  const Vector z = -c.max_step() * cost.Gradient(Vector::Zero(20));
  EXPECT_NEAR(z[0], .087483658164, 1e-11);
  EXPECT_NEAR(z[1], -.075520034302, 1e-11);
  EXPECT_NEAR(z[2], .086898399823, 1e-11);
}

TEST(ReferenceStreams, TheScatteredOneHasTheKeptMinimisers) {
  struct Kept {
    int n;
    double all, without_first, without_hundred, accuracy, accuracy_of_hundred, trace, move;
  };
  const auto test = ScatteredData(2, 10000, 20);
  Vector truth(20);
  for (int j = 0; j < 20; ++j) truth[j] = j % 2 == 0 ? 12 : -12;
  EXPECT_NEAR(Accuracy(truth, test), .9263, 1e-9);
  const Constants c = PlainLogistic(0.01, 10);
  for (const Kept& kept :
       {Kept{1000, .599618411610, .599582227029, .599747321221, .9148, .9181, .27914, 1.4297e-2},
        {5000, .604208447488, .604194954573, .604262167163, .9222, .9225, .27921, 2.9825e-3},
        {20000, .604488532188, .604485085568, .604492724370, .9265, .9264, .27925, 7.549e-4}}) {
    const auto data = ScatteredData(1, kept.n, 20);
    const MemoryPayloads all = Stored(data, 0), first = Stored(data, 1), rest = Stored(data, 100);
    const Vector z = Minimiser(all, c), z1 = Minimiser(first, c), z100 = Minimiser(rest, c);
    EXPECT_NEAR(MeanCost(kLoss, c, all).Value(z), kept.all, 1e-11);
    EXPECT_NEAR(MeanCost(kLoss, c, first).Value(z1), kept.without_first, 1e-11);
    EXPECT_NEAR(MeanCost(kLoss, c, rest).Value(z100), kept.without_hundred, 1e-11);
    EXPECT_NEAR(Accuracy(z1, test), kept.accuracy, 1e-9);
    EXPECT_NEAR(Accuracy(z100, test), kept.accuracy_of_hundred, 1e-9);
    ExpectRelative(MeanCost(kLoss, c, all).Hessian(z).trace(), kept.trace, 3e-5);
    ExpectRelative((z - z1).norm(), kept.move, 1e-4);
  }
}

// Mean loss, without the regulariser, on what is left of 20,000 events after one and after a
// hundred deletions: of the minimiser, and of online descent that skipped them. A model that has
// just been restarted says nothing.
TEST(ReferenceStreams, TheModesWithoutNoiseHaveTheKeptLosses) {
  struct Kept {
    std::size_t deleted;
    double minimiser, retrained;
  };
  const Constants c = PlainLogistic(0.05, 20);
  Constants plain = c;
  plain.mu = 0;
  LearningSpec learning;
  learning.schedule = ScheduleKind::kInverseTime;
  const Schedule schedule = Schedule::Make(learning, Split::kCurve, c, 0.0243559704, 20).value();
  const auto data = ReferenceData(1, 20000, 20);
  for (const Kept& kept : {Kept{1, 0.666333, 0.666303}, {100, 0.666320, 0.666323}}) {
    const MemoryPayloads rest = Stored(data, kept.deleted);
    const MeanCost loss(kLoss, plain, rest);
    EXPECT_NEAR(loss.Value(Minimiser(rest, c)), kept.minimiser, 1e-6);
    OnlineRun run(kLoss, c, schedule, 20);
    for (std::size_t i = 0; i < data.size(); ++i) {
      i < kept.deleted ? run.Skip() : static_cast<void>(run.Learn(data[i]));
    }
    EXPECT_NEAR(loss.Value(run.model()), kept.retrained, 1e-6);
    EXPECT_NEAR(loss.Value(Vector::Zero(20)), 0.6931, 5e-5);
  }
}

}  // namespace
}  // namespace lethe::testing::reference_stream_test
