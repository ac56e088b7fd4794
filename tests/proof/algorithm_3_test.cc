// OLU Algorithm 3: how far the model is from one that never had the events, kept from an
// independent computation. The Newton step corrects a minimiser and not an iterate; the printed
// minus doubles what it should remove.
#include <cmath>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "engine/learning/mean_cost.h"
#include "engine/learning/online_run.h"
#include "engine/learning/reset.h"
#include "engine/privacy/noise.h"
#include "tests/support/mode_fixture.h"
#include "tests/support/passive_spec.h"
#include "tests/support/reference_data.h"

namespace lethe::testing::algorithm_3_test {
namespace {

struct Kept {
  int n;
  std::size_t batch;
  double untouched, plus_from_iterate, descended, plus, minus;
};

// Two digits were kept.
void ExpectClose(double value, double kept) { EXPECT_NEAR(value, kept, 0.045 * kept) << kept; }

TEST(Algorithm3, TheGapsAreTheKeptOnes) {
  const Constants c = PlainLogistic(0.05, 20);
  LearningSpec learning;
  learning.schedule = ScheduleKind::kInverseTime;
  const Schedule schedule = Schedule::Make(learning, Split::kCurve, c, 0.0243559704, 20).value();
  const Loss loss(LossKind::kLogistic);
  for (const Kept& kept : {Kept{1000, 1, 1.01e-3, 8.15e-3, 8.55e-3, 7.5e-7, 1.71e-2},
                           {1000, 100, 6.99e-2, 6.79e-2, 9.44e-2, 1.2e-5, 1.89e-1},
                           {20000, 1, 2.39e-5, 4.06e-4, 4.16e-4, 6.6e-10, 8.32e-4}}) {
    const auto data = ReferenceData(1, kept.n, 20);
    OnlineRun with(loss, c, schedule, 20), without(loss, c, schedule, 20);
    MemoryPayloads all, retained;
    for (std::size_t i = 0; i < data.size(); ++i) {
      with.Learn(data[i]);
      all.Add({static_cast<std::int64_t>(i)}, data[i]);
      if (i < kept.batch) {
        without.Skip();
        continue;
      }
      without.Learn(data[i]);
      retained.Add({static_cast<std::int64_t>(i)}, data[i]);
    }
    const MeanCost cost(loss, c, all), rest(loss, c, retained);
    const auto newton = [&](const Vector& z) -> Vector {
      Vector gradient = static_cast<double>(kept.batch) * c.mu * z;
      for (std::size_t i = 0; i < kept.batch; ++i) {
        gradient += loss.Slope(z.dot(data[i].x), data[i].y) * data[i].x;
      }
      return rest.Hessian(z).llt().solve(gradient) / static_cast<double>(rest.count());
    };
    const auto descend = [&](const MeanCost& on, Vector z) {
      const double gain = c.mu * c.diameter() * kept.n / c.L;
      const double gamma = (c.beta - c.mu) / (c.beta + c.mu);
      for (int i = 0; i < std::ceil(std::log(gain) / -std::log(gamma)); ++i) {
        z -= c.max_step() * on.Gradient(z);
      }
      return z;
    };
    ExpectClose((with.model() - without.model()).norm(), kept.untouched);
    ExpectClose((with.model() + newton(with.model()) - without.model()).norm(),
                kept.plus_from_iterate);
    const Vector z = descend(cost, with.model()), reference = descend(rest, without.model());
    ExpectClose((z - reference).norm(), kept.descended);
    ExpectClose((z + newton(z) - reference).norm(), kept.plus);
    ExpectClose((z - newton(z) - reference).norm(), kept.minus);
  }
}

// The mode itself ends as near to the minimiser of what is retained as its noise supposes.
class Algorithm3Mode : public ModeFixture {};

TEST_F(Algorithm3Mode, EndsWithinItsBoundOfTheMinimiser) {
  for (const std::int64_t batch : {1, 20}) {
    Spec spec = PassiveSpec();
    spec.model.dimension = 20;
    spec.model.lambda = 0.05;
    spec.forgetting.mode = "active";
    spec.forgetting.active.variant = ActiveVariant::kAlgorithm3;
    spec.noise.source = NoiseKind::kDisabled;
    const Constants c = PlainLogistic(0.05, 12);
    Start(spec, c);
    Learn(ReferenceData(1, 20000, 20));
    const Forgetting forgetting = Forget(0, batch);
    Vector minimiser = mode_->model();
    const MeanCost cost(Loss(LossKind::kLogistic), c, payloads_);
    ASSERT_TRUE(ResetTo(cost, c, 1e-12, minimiser).ok());
    const double away = (mode_->model() - minimiser).norm();
    EXPECT_LE(away, forgetting.shift / 2);
    // Without the Newton step it would be further away than that.
    EXPECT_LT(forgetting.shift / 2, 1e-4 * static_cast<double>(batch * batch));
  }
}

}  // namespace
}  // namespace lethe::testing::algorithm_3_test
