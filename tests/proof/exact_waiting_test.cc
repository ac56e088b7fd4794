// Exact, requests that wait: for a deadline or the end of a window, in events or in event time, or
// until little noise is enough. A shard decides; one draw may serve several requests.
#include <string>

#include <gtest/gtest.h>

#include "tests/support/proof_tally.h"
#include "tests/support/proof_waiting.h"

namespace lethe::proof::exact_waiting_test {
namespace {

class ExactWaiting : public ::testing::TestWithParam<Waiting> {
 protected:
  void Check(const LinearRun& run, std::uint64_t seed, double least = 0) {
    const std::vector<double> ratios = ExactRatios(run);
    for (const double ratio : ratios) {
      EXPECT_LE(ratio, 1 + kSlack) << "seed " << seed;
      EXPECT_GE(ratio, least) << "seed " << seed;
    }
    for (const Request& request : run.script.requests()) shared_ += request.batch.size() > 1;
    tally_.Add(run, ratios);
  }

  Dice DiceOf(std::uint64_t seed) const {
    return Dice(seed + 1000000 * (1 + static_cast<std::uint64_t>(GetParam())));
  }
  bool HasWindow() const {
    return GetParam() != Waiting::kDeadlineEvents && GetParam() != Waiting::kDeadlineTime;
  }

  Tally tally_;
  int shared_ = 0;  // draws that served several requests
};

TEST_P(ExactWaiting, NoRandomRunNeedsMoreThanItsCertificate) {
  for (std::uint64_t seed = 1; tally_.runs() < 300 && !HasFailure(); ++seed) {
    Dice dice = DiceOf(seed);
    if (const auto run = RandomWaitingRun(dice, GetParam())) Check(*run, seed);
  }
  tally_.Print("waiting, random");
  EXPECT_GE(shared_, HasWindow() ? 20 : 0);
  EXPECT_GE(tally_.worst().at("joint/curve"), 0.7);
  EXPECT_GE(tally_.worst().at("per_request/curve"), 0.7);
}

TEST_P(ExactWaiting, WorstCasesAttainTheCertificateAtEveryDraw) {
  for (std::uint64_t seed = 1; tally_.runs() < 60 && !HasFailure(); ++seed) {
    Dice dice = DiceOf(seed);
    Check(TightWaitingRun(dice, GetParam()), seed, 0.98);
  }
  tally_.Print("waiting, worst cases");
  for (const auto& [kind, ratio] : tally_.worst()) EXPECT_GE(ratio, 0.99) << kind;
}

TEST_P(ExactWaiting, DescentsForOneRequestCoverTheOthersThatWait) {
  for (std::uint64_t seed = 1; tally_.runs() < 200 && !HasFailure(); ++seed) {
    Dice dice = DiceOf(seed);
    const LinearRun run = WaitingDescentRun(dice, GetParam());
    if (!run.sigmas.empty()) Check(run, seed);
  }
  tally_.Print("waiting, active, variant ledger");
  EXPECT_GE(shared_, HasWindow() ? 20 : 0);
  for (const auto& [kind, ratio] : tally_.worst()) EXPECT_GE(ratio, 0.4) << kind;
}

std::string WaitingName(const ::testing::TestParamInfo<Waiting>& info) {
  switch (info.param) {
    case Waiting::kDeadlineEvents: return "DeadlineInEvents";
    case Waiting::kDeadlineTime: return "DeadlineInTime";
    case Waiting::kWindowEvents: return "WindowInEvents";
    case Waiting::kWindowTime: return "WindowInTime";
    case Waiting::kWindowDeadline: break;
  }
  return "WindowWithDeadline";
}

INSTANTIATE_TEST_SUITE_P(Kinds, ExactWaiting,
                         ::testing::Values(Waiting::kDeadlineEvents, Waiting::kDeadlineTime,
                                           Waiting::kWindowEvents, Waiting::kWindowTime,
                                           Waiting::kWindowDeadline),
                         WaitingName);

}  // namespace
}  // namespace lethe::proof::exact_waiting_test
