// Which modes draw at random while they learn: their models wait for a synced commit.

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engine/plan.h"
#include "state/payloads/memory_payloads.h"
#include "state/store/paged_parts.h"
#include "tests/support/passive_spec.h"

namespace lethe::draws_test {
namespace {

class CountingRandom final : public RandomSource {
 public:
  void Fill(const Stream&, std::span<std::uint8_t> bytes) override {
    ++fills;
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(next_ = next_ * 5 + 77);
  }
  int fills = 0;

 private:
  std::uint32_t next_ = 1;
};

TEST(ModesDraws, ARegisteredModeSaysWhetherLearningDraws) {
  for (const std::string& name : ModeNames()) {
    Spec spec = PassiveSpec();
    spec.model.dimension = 3;
    spec.forgetting.mode = name;
    if (name == "d2d_regularised") spec.model.lambda = 1e-6;
    spec.forgetting.erm = {.warmup = 20, .refit_every = 20, .steps = 3};
    spec.forgetting.fats = {.client = FatsClient::kIndex,
                            .clients = 3,
                            .draws = 2,
                            .local_steps = 2,
                            .batch = 2,
                            .round_every = 10};
    auto plan = Plan::Make(spec);
    if (!plan.ok()) {
      spec.forgetting.calibration = Calibration::kRecursion;
      plan = Plan::Make(spec);
    }
    ASSERT_TRUE(plan.ok()) << name << ": " << plan.status().message();
    MemoryPayloads payloads;
    CountingRandom random;
    const auto mode = MakeUnlearner(plan.value(), {0}, random, payloads);
    const auto learn = [&] {
      for (int i = 0; i < 100; ++i) {
        mode->Learn({Vector::Constant(3, 0.1 * (i % 3)), i % 2 == 0 ? 1.0 : -1.0});
      }
    };
    learn();
    // Some modes draw in a refit only once there is somebody to hide.
    const std::vector<Target> deleted = {{{3}, {}}};
    mode->Release(deleted);
    ASSERT_TRUE(mode->Forget(deleted).ok()) << name;
    random.fills = 0;
    learn();
    EXPECT_EQ(plan.value().mode->draws_while_learning, random.fills > 0)
        << name << " has drawn " << random.fills << " times";
  }
}

TEST(PagedParts, ARewriteWritesEveryPage) {
  PagedParts pages;
  const std::string bytes(20'000, 'x');
  pages.Put(Part::kMode, bytes);
  WriteBatch first;
  pages.AddTo(first);
  pages.Put(Part::kMode, bytes);
  WriteBatch unchanged;
  pages.AddTo(unchanged);
  EXPECT_TRUE(unchanged.empty());
  pages.Rewrite(Part::kMode, bytes);
  WriteBatch again;
  pages.AddTo(again);
  ASSERT_EQ(again.changes().size(), first.changes().size());
  for (std::size_t i = 0; i < first.changes().size(); ++i) {
    EXPECT_EQ(again.changes()[i].key, first.changes()[i].key);
    EXPECT_EQ(again.changes()[i].value, first.changes()[i].value);
  }
  EXPECT_EQ(pages.Get(Part::kMode), bytes);
}

}  // namespace
}  // namespace lethe::draws_test
