// FATS: the law of its history by exhaustive enumeration, in integers.
#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>

#include <gtest/gtest.h>

#include "engine/modes/fats_run.h"
#include "engine/spec.h"
#include "state/memory_payloads.h"
#include "tests/support/mode_fixture.h"

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

// Whether event 0 was in a batch, and whether its client was drawn, exactly and by enumeration.
std::pair<double, double> Involvement(const FatsSpec& spec, std::int64_t events, int rounds) {
  const Constants constants = PlainLogistic(0.05, 20);
  Fraction sample, client;
  AllChoices choices;
  do {
    MemoryPayloads payloads;
    for (std::int64_t i = 0; i < events; ++i) payloads.Add({i}, {Vector::Constant(1, 0.1), 1.0});
    FatsRun run(spec, Loss(LossKind::kLogistic), constants, 0.5, 1, payloads);
    for (int r = 0; r < rounds; ++r) run.AddRound(events, choices);
    const std::vector<std::int64_t> event = {0};
    if (run.FirstUse(event)) sample.Add(choices.Probability());
    const bool is_drawn = std::ranges::any_of(run.rounds(), [](const FatsRun::Round& round) {
      return std::ranges::find(round.drawn, 0) != round.drawn.end();
    });
    if (is_drawn) client.Add(choices.Probability());
  } while (choices.Next());
  return {sample.value(), client.value()};
}

// The same by its formula, n events for each client.
std::pair<double, double> InvolvementFormula(const FatsSpec& spec, double n, double rounds) {
  const auto K = static_cast<double>(spec.draws);
  const double other = 1 - 1 / static_cast<double>(spec.clients);
  const double missed =
      std::pow(1 - static_cast<double>(spec.batch) / n, static_cast<double>(spec.local_steps));
  return {1 - std::pow(1 - (1 - std::pow(other, K)) * (1 - missed), rounds),
          1 - std::pow(other, K * rounds)};
}

TEST(FatsInvolvement, IsWhatTheFormulaSays) {
  struct Case {
    FatsSpec spec;
    std::int64_t events;
    int rounds;
  };
  for (const Case& one : {Case{Small(2, 1, 1, 1), 4, 3},
                          {Small(2, 2, 2, 1), 4, 1},
                          {Small(3, 2, 1, 2), 9, 1},
                          {Small(2, 1, 2, 1), 6, 2}}) {
    const auto seen = Involvement(one.spec, one.events, one.rounds);
    const auto formula = InvolvementFormula(
        one.spec, static_cast<double>(one.events / one.spec.clients), one.rounds);
    EXPECT_NEAR(seen.first, formula.first, 1e-12);
    EXPECT_NEAR(seen.second, formula.second, 1e-12);
  }
  const auto [sample, client] = InvolvementFormula(Small(20, 2, 5, 5), 50, 5);
  EXPECT_NEAR(sample, 0.184318, 5e-7);
  EXPECT_NEAR(client, 0.401263, 5e-7);
}

}  // namespace
}  // namespace lethe::testing
