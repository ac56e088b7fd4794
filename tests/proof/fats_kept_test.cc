// FATS: kept numbers of whole runs and deletions.
#include <cmath>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "engine/base/split_mix.h"
#include "engine/modes/papers/fats_run.h"
#include "engine/spec/spec.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/mode_fixture.h"
#include "tests/support/reference_data.h"

namespace lethe::testing::fats_kept_test {
namespace {

// The choices of the kept numbers: a generator for each purpose, from a seed and the number of
// redraws so far.
class KeptChoices final : public FatsChoices {
 public:
  void ForClients(std::int64_t round) override { Seed(round, 0); }
  void ForBatch(std::int64_t round, std::int64_t client, std::int64_t step) override {
    Seed(round, 1 + client * 5 + step);
  }
  std::int64_t Below(std::int64_t n) override { return random_.Below(n); }

  std::uint64_t generation = 0;

 private:
  void Seed(std::int64_t round, std::int64_t purpose) {
    std::uint64_t state = 0;
    for (const std::uint64_t part :
         {std::uint64_t{9}, generation, static_cast<std::uint64_t>(round),
          static_cast<std::uint64_t>(purpose)}) {
      state = SplitMix(state ^ part).Next();
    }
    random_ = SplitMix(state);
  }

  SplitMix random_{0};
};

struct Kept {
  std::int64_t n;
  double theta, norm;
  std::size_t involved;
  std::int64_t first;
  std::size_t round, step;
  double after_first;
  std::int64_t gradients;
  double after_batch, after_each;
  std::int64_t batch_gradients, redraws, each_gradients;
  std::size_t batch_step;
};

constexpr Kept kKept[] = {
    {1000, 0.199659326226, 0.734199909324, 192, 1, 2, 0, 0.193138393131, 125, 0.262223151310,
     0.178337730803, 200, 20, 2815, 0},
    {20000, 0.115049090486, 0.567207747041, 3800, 5, 4, 4, 0.115345808778, 200, 0.124602477003,
     0.116488770446, 3800, 21, 46900, 1},
};

// Five rounds after all events.
class FatsKept : public ::testing::TestWithParam<Kept> {
 protected:
  void Start() {
    payloads_ = MemoryPayloads();
    choices_ = KeptChoices();
    const auto data = ReferenceData(1, static_cast<int>(GetParam().n), 20);
    for (std::size_t i = 0; i < data.size(); ++i) {
      payloads_.Add({static_cast<std::int64_t>(i)}, data[i]);
    }
    const FatsSpec spec{.client = FatsClient::kIndex,
                        .clients = 20,
                        .draws = 2,
                        .local_steps = 5,
                        .batch = GetParam().n / 200,
                        .round_every = 1};
    run_.emplace(spec, Loss(LossKind::kLogistic), PlainLogistic(0.05, 1e6), 1.0, 20, payloads_);
    for (int r = 0; r < 5; ++r) run_->AddRound(GetParam().n, choices_);
  }
  // Returns the gradients of what was drawn again. The kept counts leave out the steps that are
  // replayed with their old batches, of a round that was hit later than at its beginning.
  std::int64_t Delete(const std::vector<std::int64_t>& events) {
    for (const std::int64_t index : events) payloads_.Remove({index});
    std::int64_t replayed = 0;
    if (const auto place = run_->FirstUse(events); place && !place->redraws_clients) {
      const std::size_t clients = run_->rounds()[place->round].batches.size();
      replayed = static_cast<std::int64_t>(place->step * clients) * GetParam().n / 200;
    }
    const std::int64_t before = run_->gradients();
    ++choices_.generation;
    if (!run_->Delete(events, choices_)) --choices_.generation;
    return run_->gradients() - before - replayed;
  }

  MemoryPayloads payloads_;
  KeptChoices choices_;
  std::optional<FatsRun> run_;
};

TEST_P(FatsKept, IsReproduced) {
  const Kept& kept = GetParam();
  Start();
  EXPECT_NEAR(run_->model()[0], kept.theta, 1e-9);
  EXPECT_NEAR(run_->model().norm(), kept.norm, 1e-9);
  const std::vector<std::int64_t> drawn[] = {{1, 11}, {5, 4}, {1, 8}, {15, 3}, {5, 9}};
  for (std::size_t r = 0; r < 5; ++r) EXPECT_EQ(run_->rounds()[r].drawn, drawn[r]);
  std::map<std::int64_t, int> used;
  for (const auto& round : run_->rounds()) {
    for (const auto& batches : round.batches) {
      for (const auto& batch : batches) {
        for (const std::int64_t index : batch) used[index] = 1;
      }
    }
  }
  EXPECT_EQ(used.size(), kept.involved);
  EXPECT_EQ(used.begin()->first, kept.first);
  const std::vector<std::int64_t> first = {kept.first};
  const auto place = run_->FirstUse(first);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->round, kept.round);
  EXPECT_EQ(place->step, kept.step);
  EXPECT_EQ(Delete(first), kept.gradients);
  EXPECT_NEAR(run_->model()[0], kept.after_first, 1e-9);

  std::vector<std::int64_t> batch(100);
  std::iota(batch.begin(), batch.end(), 0);
  Start();
  const auto place_of_batch = run_->FirstUse(batch);
  ASSERT_TRUE(place_of_batch);
  EXPECT_EQ(place_of_batch->round, 0u);
  EXPECT_EQ(place_of_batch->step, kept.batch_step);
  EXPECT_EQ(Delete(batch), kept.batch_gradients);
  EXPECT_NEAR(run_->model()[0], kept.after_batch, 1e-9);

  Start();
  std::int64_t each_gradients = 0;
  for (const std::int64_t index : batch) each_gradients += Delete({index});
  EXPECT_EQ(each_gradients, kept.each_gradients);
  EXPECT_EQ(choices_.generation, static_cast<std::uint64_t>(kept.redraws));
  EXPECT_NEAR(run_->model()[0], kept.after_each, 1e-9);
}

// rho_C = K R/M and rho_S = b K E R/(M N) are sums over all draws; how often an event or a client
// is really part of a run is less (FatsInvolvement).
TEST(FatsParameters, AreTheKeptOnes) {
  const double M = 20, K = 2, E = 5, R = 5;
  for (const Kept& kept : kKept) {
    const double n = static_cast<double>(kept.n), b = n / 200, N = n / M;
    EXPECT_DOUBLE_EQ(K * R / M, 0.5);
    EXPECT_DOUBLE_EQ(b * K * E * R / (M * N), 0.25);
    const double involved = static_cast<double>(kept.involved) / n;
    EXPECT_NEAR(involved, 0.184318, 0.01);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, FatsKept, ::testing::ValuesIn(kKept),
                         [](const auto& test) { return std::to_string(test.param.n); });

}  // namespace
}  // namespace lethe::testing::fats_kept_test
