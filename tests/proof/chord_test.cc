// Certified removal with a kept factorisation: how many passes it takes, kept numbers, and that it
// serves as many deletions as its noise was made for.
#include <algorithm>
#include <vector>

#include "engine/spec/accountant.h"
#include "tests/support/mode_fixture.h"
#include "tests/support/passive_spec.h"
#include "tests/support/reference_data.h"

namespace lethe::testing::chord_test {
namespace {

class Chord : public ModeFixture {
 protected:
  void Train(const std::vector<Example>& data, RemovalSolver solver = RemovalSolver::kChord) {
    const auto n = static_cast<std::int64_t>(data.size());
    Spec spec = PassiveSpec();
    spec.model.dimension = 20;
    spec.forgetting.mode = "certified_removal";
    spec.forgetting.removal.solver = solver;
    spec.forgetting.erm = {.warmup = n, .refit_every = n, .steps = 1};
    spec.forgetting.active.tolerance = 1e-9 / static_cast<double>(n);  // of the sum: 1e-9
    spec.noise.source = NoiseKind::kDisabled;
    Start(spec, PlainLogistic(0.01, 12));
    Learn(data);
  }
  // Passes that moved the model. One more finds that the tolerance is met.
  std::int64_t PassesOf(std::int64_t index) {
    const std::int64_t before = mode_->DeletionGradients();
    Forget(index, index + 1);
    return (mode_->DeletionGradients() - before) / payloads_.count() - 1;
  }
};

TEST_F(Chord, TakesTheKeptNumberOfPasses) {
  struct Kept {
    int n;
    std::int64_t least, most;
  };
  for (const Kept& kept : {Kept{1000, 4, 7}, {5000, 3, 5}, {20000, 3, 5}}) {
    Train(ReferenceData(1, kept.n, 20));
    std::vector<std::int64_t> passes;
    for (std::int64_t i = 0; i < 100; ++i) passes.push_back(PassesOf(i));
    EXPECT_GE(std::ranges::min(passes), kept.least);
    EXPECT_LE(std::ranges::max(passes), kept.most);
  }
}

TEST_F(Chord, AFactorServesSixtyFourDeletions) {
  // What is deleted first is most of the curvature.
  auto data = ReferenceData(1, 200, 20);
  for (std::size_t i = 100; i < data.size(); ++i) data[i].x *= 0.3;
  Train(data);
  std::vector<std::int64_t> passes;
  for (std::int64_t i = 0; i < 70; ++i) passes.push_back(PassesOf(i));
  EXPECT_LT(passes[64], passes[63]);
}

// All its deletions have the noise for 64 of them, and no more.
TEST_F(Chord, HasEightTimesTheNoise) {
  const auto data = ReferenceData(1, 200, 20);
  Train(data, RemovalSolver::kNewton);
  const double newton = Forget(0, 1).sigma;
  Train(data);
  ExpectRelative(Forget(0, 1).sigma, 8 * newton, 1e-3);
}

}  // namespace
}  // namespace lethe::testing::chord_test
