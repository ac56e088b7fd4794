// The runs in which a certificate is attained, or nearly.
#include <algorithm>
#include <vector>

#include "tests/support/passive_spec.h"
#include "tests/support/proof_linear.h"

namespace lethe::proof {

Spec TightSpec(double feature_norm, double lambda, double mu) {
  Spec spec = PassiveSpec();
  spec.model.loss = LossKind::kSquared;
  spec.model.feature_norm = feature_norm;
  spec.model.lambda = lambda;
  spec.model.radius = 1;
  spec.model.label_bound = 400 * (feature_norm + lambda / feature_norm);
  spec.forgetting.budget = {.epsilon = {}, .delta = {}, .mu = mu, .rho = {}};
  return spec;
}

LinearRun TightLinearRun(Dice& dice) {
  const double feature_norm = dice.LogUniform(0.3, 3);
  const double lambda = feature_norm * feature_norm * dice.LogUniform(10, 1000);
  Spec spec = TightSpec(feature_norm, lambda, dice.LogUniform(0.2, 4));
  const std::int64_t deleted = 1 + dice.Below(5);
  // Together the deleted events move the model by at most half the radius.
  const auto k = static_cast<double>(deleted);
  spec.model.dimension = 1 + dice.Below(3);
  spec.learning.schedule = static_cast<ScheduleKind>(dice.Below(4));
  if (spec.learning.schedule == ScheduleKind::kConstant) {
    spec.learning.eta = 0.5 / (k * 402 * (feature_norm * feature_norm + lambda));
  }
  spec.learning.horizon = {.events = 16 * deleted * deleted, .deletions = deleted};
  spec.forgetting.guarantee = static_cast<Guarantee>(dice.Below(2));
  LinearRun run{Script(spec), {}};
  const auto d = static_cast<Eigen::Index>(spec.model.dimension);
  const Vector nothing = Vector::Zero(d);
  if (spec.learning.schedule == ScheduleKind::kInverseTime) {
    run.script.LearnMany(810 * deleted, nothing, 0);
  } else if (spec.learning.schedule == ScheduleKind::kInverseSqrt) {
    run.script.LearnMany(16 * deleted * deleted, nothing, 0);
  }
  std::vector<std::int64_t> order;
  const Vector x = dice.Direction(d, feature_norm);
  for (std::int64_t i = 0; i < deleted; ++i) {
    order.push_back(run.script.Learn(x, spec.model.label_bound, 1));
  }
  while (!order.empty()) {
    run.script.LearnMany(dice.Below(800), nothing, 0);
    const auto next = order.begin() + dice.Below(static_cast<std::int64_t>(order.size()));
    run.script.Forget({*next});
    order.erase(next);
  }
  run.sigmas = run.script.Sigmas();
  return run;
}

LinearRun DescentAfterDrawRun() {
  Spec spec = TightSpec(/*feature_norm=*/1, /*lambda=*/1e-3, /*mu=*/4);
  spec.model.dimension = 1;
  spec.model.label_bound = 0.5;
  spec.learning.eta = 1e-5;
  spec.forgetting.mode = "active";
  spec.forgetting.active.variant = ActiveVariant::kLedger;
  spec.forgetting.active.steps = 1;
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  LinearRun run{Script(spec), {}};
  const Vector x = Vector::Ones(1), nothing = Vector::Zero(1);
  const std::int64_t first = run.script.Learn(nothing, 0), second = run.script.Learn(nothing, 0);
  const std::int64_t last = run.script.Learn(x, 0.5);
  std::vector<std::int64_t> batch;
  batch.reserve(10);
  for (int i = 0; i < 10; ++i) batch.push_back(run.script.Learn(x, -0.5));
  run.script.LearnMany(89, x, -0.5);
  run.script.LearnMany(90, nothing, 0);
  run.script.Forget({first});   // from here on everybody is in the model by way of a mean
  run.script.Forget(batch);     // the large draw
  run.script.Forget({second});  // half of the events are empty: this descent has factor 0
  for (int i = 0; i < 3000; ++i) run.script.Learn(x, i % 2 == 0 ? 0.5 : -0.5);
  run.script.Forget({last});  // and this one nearly -1
  run.sigmas = run.script.Sigmas();
  return run;
}

LinearRun SingleDeletionRun(Dice& dice) {
  const double feature_norm = dice.LogUniform(0.3, 3);
  const double lambda = feature_norm * feature_norm * dice.LogUniform(0.1, 100);
  Spec spec = TightSpec(feature_norm, lambda, dice.LogUniform(0.2, 4));
  spec.model.dimension = 1;
  spec.model.label_bound *= 1e9;
  // The step stays within half of the ball, so that neither a projection nor the cap at the
  // diameter matters.
  spec.learning.eta =
      0.5 * spec.model.radius / Constants::Derive(spec.model).value().L * dice.LogUniform(1e-2, 1);
  LinearRun run{Script(spec), {}};
  const Vector x = Vector::Constant(1, run.script.plan().constants.feature_norm);
  const std::int64_t only = run.script.Learn(x, spec.model.label_bound);
  run.script.LearnMany(dice.Below(400), Vector::Zero(1), 0);
  run.script.Forget({only});
  run.sigmas = run.script.Sigmas();
  return run;
}

LinearRun WipedOutRun(Dice& dice) {
  const double feature_norm = dice.LogUniform(0.3, 3);
  const double squared = feature_norm * feature_norm;
  Spec spec =
      TightSpec(feature_norm, squared * dice.LogUniform(1e-4, 1e-3), dice.LogUniform(0.5, 4));
  spec.model.dimension = 1 + dice.Below(2);
  spec.learning.eta = 1e-3 / squared;
  spec.forgetting.guarantee = Guarantee::kPerRequest;
  LinearRun run{Script(spec), {}};
  const Vector x = Vector::Unit(static_cast<Eigen::Index>(spec.model.dimension), 0) * feature_norm;
  const std::int64_t early = run.script.Learn(x, spec.model.label_bound);
  run.script.Forget({early});
  run.script.LearnMany(8000, x, 0);
  const std::int64_t late = run.script.Learn(x, spec.model.label_bound);
  run.script.Forget({late});
  run.sigmas = run.script.Sigmas();
  return run;
}

}  // namespace lethe::proof
