// FATS: the law of its history by exhaustive enumeration, in integers.
#include <algorithm>
#include <cmath>
#include <iostream>

#include "tests/support/fats_law.h"

namespace lethe::testing::fats_test {
namespace {

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
    const std::int64_t of_client = one.events / one.spec.clients;
    const auto formula = InvolvementFormula(one.spec, static_cast<double>(of_client), one.rounds);
    EXPECT_NEAR(seen.first, formula.first, 1e-12);
    EXPECT_NEAR(seen.second, formula.second, 1e-12);
  }
  const auto [sample, client] = InvolvementFormula(Small(20, 2, 5, 5), 50, 5);
  EXPECT_NEAR(sample, 0.184318, 5e-7);
  EXPECT_NEAR(client, 0.401263, 5e-7);
}

}  // namespace
}  // namespace lethe::testing::fats_test
