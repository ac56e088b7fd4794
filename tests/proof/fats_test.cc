// FATS: kept numbers, and the law of its history by exhaustive enumeration, in integers.
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <numeric>

#include <gtest/gtest.h>

#include "app/generate/split_mix.h"
#include "engine/modes/fats_run.h"
#include "engine/spec.h"
#include "state/memory_payloads.h"
#include "tests/support/mode_fixture.h"
#include "tests/support/reference_data.h"

namespace lethe::testing {
namespace {

// A probability as an exact fraction.
struct Fraction {
  __int128 top = 0;
  __int128 bottom = 1;

  void Add(Fraction other, int sign = 1) {
    top = top * other.bottom + sign * other.top * bottom;
    bottom *= other.bottom;
    __int128 a = top < 0 ? -top : top, b = bottom;
    while (b != 0) std::swap(a %= b, b);
    if (a > 1) top /= a, bottom /= a;
  }
  double value() const { return static_cast<double>(top) / static_cast<double>(bottom); }
};

// Goes through every sequence of choices, one by one.
class AllChoices final : public FatsChoices {
 public:
  std::int64_t Below(std::int64_t n) override {
    if (at_ == path_.size()) path_.push_back({0, n});
    EXPECT_EQ(path_[at_].second, n);
    return path_[at_++].first;
  }
  // The probability of the choices made since the last call.
  Fraction Probability() const {
    Fraction p{1, 1};
    for (const auto& [value, n] : path_) p.bottom *= n;
    return p;
  }
  bool Next() {
    at_ = 0;
    while (!path_.empty() && ++path_.back().first == path_.back().second) path_.pop_back();
    return !path_.empty();
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> path_;
  std::size_t at_ = 0;
};

using History = std::vector<std::int64_t>;
using Law = std::map<History, Fraction>;

// One instance: rounds after these numbers of learn events, then requests, each of several events.
struct Instance {
  const char* name;
  FatsSpec spec;
  std::vector<std::int64_t> rounds;
  std::int64_t events;
  std::vector<std::vector<std::int64_t>> requests;
};

void PrintTo(const Instance& instance, std::ostream* out) { *out << instance.name; }

// How a deletion is served; the repaired rule, or another one.
using Rule = std::function<void(FatsRun&, const std::vector<std::int64_t>&, FatsChoices&)>;

void Repaired(FatsRun& run, const std::vector<std::int64_t>& deleted, FatsChoices& choices) {
  run.Delete(deleted, choices);
}

// As printed: when the first local step of a round was hit, its clients are drawn again too.
void Printed(FatsRun& run, const std::vector<std::int64_t>& deleted, FatsChoices& choices) {
  auto place = run.FirstUse(deleted);
  if (!place) return;
  if (place->step == 0) place->redraws_clients = true;
  run.Redo(*place, choices);
}

// Without a history: everything again if the event was ever used.
void WithoutHistory(FatsRun& run, const std::vector<std::int64_t>& deleted, FatsChoices& choices) {
  if (run.FirstUse(deleted)) run.Redo({0, 0, true}, choices);
}

// The law of everything that the run keeps. In the reference world the deleted events are blank.
Law LawOf(const Instance& instance, bool is_reference, const Rule& rule) {
  const Constants constants = PlainLogistic(0.05, 20);
  std::vector<bool> blank(static_cast<std::size_t>(instance.events), false);
  for (const auto& request : instance.requests) {
    for (const std::int64_t index : request) blank[static_cast<std::size_t>(index)] = is_reference;
  }
  Law law;
  AllChoices choices;
  do {
    MemoryPayloads payloads;
    FatsRun run(instance.spec, Loss(LossKind::kLogistic), constants, 0.5, 1, payloads);
    std::int64_t learned = 0;
    for (const std::int64_t end : instance.rounds) {
      for (; learned < end; ++learned) {
        if (blank[static_cast<std::size_t>(learned)]) continue;
        payloads.Add({learned}, {Vector::Constant(1, 0.1), learned % 3 == 0 ? 1.0 : -1.0});
      }
      run.AddRound(end, choices);
    }
    for (const auto& request : instance.requests) {
      for (const std::int64_t index : request) payloads.Remove({index});
      if (!is_reference) rule(run, request, choices);
    }
    History history;
    for (const FatsRun::Round& round : run.rounds()) {
      for (const std::int64_t client : round.drawn) history.push_back(-1 - client);
      for (const auto& batches : round.batches) {
        for (const auto& batch : batches) history.insert(history.end(), batch.begin(), batch.end());
      }
    }
    law[history].Add(choices.Probability());
  } while (choices.Next());
  return law;
}

// Total variation, as a fraction.
Fraction Distance(const Law& a, const Law& b) {
  Law difference = a;
  for (const auto& [history, p] : b) difference[history].Add(p, -1);
  Fraction sum;
  for (const auto& [history, p] : difference) {
    sum.Add({p.top < 0 ? -p.top : p.top, p.bottom});
  }
  sum.Add({sum.top, 2 * sum.bottom}, -1);
  return sum;
}

FatsSpec Small(std::int64_t clients, std::int64_t draws, std::int64_t steps, std::int64_t batch) {
  return {.client = FatsClient::kIndex,
          .clients = clients,
          .draws = draws,
          .local_steps = steps,
          .batch = batch,
          .round_every = 1};
}

const Instance kInstances[] = {
    {"TwoByTwo", Small(2, 1, 1, 1), {4}, 4, {{0}}},
    {"TwoRounds", Small(2, 1, 1, 1), {4, 4}, 4, {{0}}},
    {"TwoSteps", Small(2, 1, 2, 1), {4}, 4, {{0}}},
    {"TwoDraws", Small(2, 2, 1, 1), {4, 4}, 4, {{2}}},
    {"LargerBatches", Small(2, 1, 2, 2), {6}, 6, {{0}}},
    {"ThreeClients", Small(3, 1, 2, 2), {9}, 9, {{4}}},
    {"ABatchOfDeletions", Small(2, 1, 1, 1), {6, 6}, 6, {{0, 3}}},
    {"TwoDeletions", Small(2, 1, 2, 1), {4, 4}, 4, {{0}, {2}}},
    {"ThenTheWholeClient", Small(2, 1, 1, 1), {6, 6}, 6, {{0}, {2}, {4}}},
    {"AnotherClientsSample", Small(2, 1, 1, 2), {6}, 6, {{0}, {1}}},
    {"GrowingClients", Small(2, 1, 1, 1), {3, 5, 7}, 7, {{0}}},
    {"GrowingAndTooFew", Small(2, 1, 1, 2), {3, 5}, 5, {{1}, {3}}},
};

class FatsLaw : public ::testing::TestWithParam<Instance> {};

TEST_P(FatsLaw, IsThatOfARunWithoutTheEvents) {
  const Law reference = LawOf(GetParam(), true, Repaired);
  const Law unlearned = LawOf(GetParam(), false, Repaired);
  Fraction total;
  for (const auto& [history, p] : unlearned) total.Add(p);
  EXPECT_TRUE(total.top == 1 && total.bottom == 1);
  EXPECT_GT(reference.size(), 1u);
  const Fraction distance = Distance(unlearned, reference);
  EXPECT_TRUE(distance.top == 0) << distance.value();
  std::cout << "histories: " << reference.size() << "\n";
}

INSTANTIATE_TEST_SUITE_P(Instances, FatsLaw, ::testing::ValuesIn(kInstances),
                         [](const auto& test) { return test.param.name; });

TEST(FatsLawControl, ThePrintedRuleIsAnEighthAway) {
  const Instance smallest = kInstances[0];
  const Fraction distance =
      Distance(LawOf(smallest, false, Printed), LawOf(smallest, true, Repaired));
  EXPECT_TRUE(distance.top == 1 && distance.bottom == 8) << distance.value();
}

TEST(FatsLawControl, DoingEverythingAgainWithoutAHistoryIsNotExact) {
  const Instance two = kInstances[1];
  const Fraction distance = Distance(LawOf(two, false, WithoutHistory), LawOf(two, true, Repaired));
  EXPECT_GT(distance.value(), 0.01);
}

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
  std::int64_t batch_gradients, redraws;
};

constexpr Kept kKept[] = {
    {1000, 0.199659326226, 0.734199909324, 192, 1, 2, 0, 0.193138393131, 125, 0.262223151310,
     0.178337730803, 200, 20},
    {20000, 0.115049090486, 0.567207747041, 3800, 5, 4, 4, 0.115345808778, 200, 0.124602477003,
     0.116488770446, 3800, 21},
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
    FatsSpec spec = Small(20, 2, 5, GetParam().n / 200);
    run_.emplace(spec, Loss(LossKind::kLogistic), PlainLogistic(0.05, 1e6), 1.0, 20, payloads_);
    for (int r = 0; r < 5; ++r) run_->AddRound(GetParam().n, choices_);
  }
  // Returns the gradients that it took.
  std::int64_t Delete(const std::vector<std::int64_t>& events) {
    for (const std::int64_t index : events) payloads_.Remove({index});
    const std::int64_t before = run_->gradients();
    ++choices_.generation;
    if (!run_->Delete(events, choices_)) --choices_.generation;
    return run_->gradients() - before;
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
  EXPECT_EQ(run_->rounds()[0].drawn, (std::vector<std::int64_t>{1, 11}));
  EXPECT_EQ(run_->rounds()[4].drawn, (std::vector<std::int64_t>{5, 9}));
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
  const std::int64_t gradients = Delete(first);
  // The kept counts leave out what is replayed of a round that was hit later than at its beginning.
  EXPECT_TRUE(kept.step != 0 || gradients == kept.gradients) << gradients;
  EXPECT_NEAR(run_->model()[0], kept.after_first, 1e-9);

  std::vector<std::int64_t> batch(100);
  std::iota(batch.begin(), batch.end(), 0);
  Start();
  const std::int64_t batch_gradients = Delete(batch);
  EXPECT_TRUE(kept.n != 1000 || batch_gradients == kept.batch_gradients) << batch_gradients;
  EXPECT_NEAR(run_->model()[0], kept.after_batch, 1e-9);

  Start();
  for (const std::int64_t index : batch) Delete({index});
  EXPECT_EQ(choices_.generation, static_cast<std::uint64_t>(kept.redraws));
  EXPECT_NEAR(run_->model()[0], kept.after_each, 1e-9);
}

INSTANTIATE_TEST_SUITE_P(Sizes, FatsKept, ::testing::ValuesIn(kKept),
                         [](const auto& test) { return std::to_string(test.param.n); });

}  // namespace
}  // namespace lethe::testing
