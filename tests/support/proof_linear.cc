#include "tests/support/proof_linear.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tests/support/passive_spec.h"

namespace lethe::proof {
namespace {

constexpr double kOrders[] = {1.0001, 1.5, 2, 4, 8, 32};

bool IsEmpty(const Example& example) { return example.x.isZero(0); }

// The laws of a world right after each request up to `last`. Without blank events it is the real
// one.
std::vector<GaussianWorld> Laws(const LinearRun& run, const std::vector<bool>& blank,
                                std::size_t last) {
  const Script& script = run.script;
  GaussianWorld world(script.events().front().x.size());
  std::vector<GaussianWorld> laws;
  std::size_t event = 0;
  bool moved = false;  // until the first event that is not empty the model is 0
  for (std::size_t i = 0; i <= last; ++i) {
    for (; event < static_cast<std::size_t>(script.requests()[i].after); ++event) {
      const Example& example = script.events()[event];
      moved = moved || !IsEmpty(example);
      const bool is_blank = !blank.empty() && blank[event];
      if (!moved || (is_blank && !script.BlankIsAStep())) continue;
      world.Learn(is_blank ? Vector::Zero(example.x.size()) : example.x, example.y,
                  script.plan().schedule.Step(static_cast<std::int64_t>(event) + 1),
                  script.plan().spec.model.lambda);
    }
    if (script.plan().spec.forgetting.mode == "active") ActBefore(script, blank, i, world);
    if (!run.shrinks.empty()) world.Shrink(run.shrinks[i]);
    world.Draw(run.sigmas[i]);
    laws.push_back(world);
  }
  return laws;
}

// Decreasing schedules are entered after this many empty events, when their steps are small.
std::int64_t EmptyEventsBefore(const Script& script, Dice& dice) {
  const Constants& c = script.plan().constants;
  switch (script.plan().schedule.kind()) {
    case ScheduleKind::kInverseTime:
      return static_cast<std::int64_t>(c.beta / c.mu / dice.LogUniform(1e-3, 0.02));
    case ScheduleKind::kInverseSqrt: return static_cast<std::int64_t>(dice.LogUniform(1e3, 2e4));
    default: return 0;
  }
}

void SetBudget(Dice& dice, double mu, BudgetSpec& budget) {
  budget = {};
  switch (dice.Below(3)) {
    case 0: budget.mu = mu; break;
    case 1: budget.rho = mu * mu / 2; break;
    default: budget.epsilon = mu; budget.delta = dice.LogUniform(1e-8, 0.1);
  }
}

struct Alive {
  std::int64_t index;
  std::optional<std::uint64_t> subject;
};

// Everything of one or two subjects, or single events, whatever their age.
std::vector<std::int64_t> TakeBatch(Dice& dice, std::vector<Alive>& alive) {
  std::vector<std::int64_t> batch;
  for (std::int64_t n = 1 + dice.Below(2); n > 0 && !alive.empty(); --n) {
    const Alive chosen =
        alive[static_cast<std::size_t>(dice.Below(static_cast<std::int64_t>(alive.size())))];
    const bool whole = chosen.subject && dice.Chance(0.5);
    std::erase_if(alive, [&](const Alive& event) {
      const bool out = whole ? event.subject == chosen.subject : event.index == chosen.index;
      if (out) batch.push_back(event.index);
      return out;
    });
  }
  return batch;
}

}  // namespace

double RandomEta(Dice& dice, const ModelSpec& model) {
  return dice.LogUniform(1e-4, 0.02) / (model.feature_norm * model.feature_norm + model.lambda);
}

Spec RandomSquaredSpec(Dice& dice) {
  Spec spec = PassiveSpec();
  spec.model.loss = LossKind::kSquared;
  spec.model.dimension = 1 + dice.Below(8);
  spec.model.feature_norm = dice.LogUniform(0.3, 3);
  const double squared = spec.model.feature_norm * spec.model.feature_norm;
  spec.model.lambda = squared * dice.LogUniform(0.01, 100);
  spec.model.radius = dice.LogUniform(0.5, 20);
  spec.model.label_bound = spec.model.radius * spec.model.feature_norm * dice.LogUniform(0.1, 100);
  spec.learning.schedule = static_cast<ScheduleKind>(dice.Below(4));
  SetEta(RandomEta(dice, spec.model), spec.learning);
  spec.learning.horizon.events = static_cast<std::int64_t>(dice.LogUniform(1e3, 1e7));
  spec.learning.horizon.deletions = 1 + dice.Below(12);
  spec.forgetting.guarantee = static_cast<Guarantee>(dice.Below(2));
  spec.forgetting.split = static_cast<Split>(dice.Below(3));
  SetBudget(dice, dice.LogUniform(0.2, 4), spec.forgetting.budget);
  return spec;
}

void AddRandomStream(Dice& dice, Script& script) {
  const ModelSpec& model = script.plan().spec.model;
  const auto d = static_cast<Eigen::Index>(model.dimension);
  const auto most = static_cast<std::size_t>(script.plan().spec.learning.horizon.deletions);
  const double busy = dice.LogUniform(0.02, 0.5);
  const double asking = dice.LogUniform(0.005, 0.1);
  const bool aligned = dice.Chance(0.5);
  std::vector<Alive> alive;
  script.LearnMany(EmptyEventsBefore(script, dice), Vector::Zero(d), 0);
  for (std::int64_t left = 20 + dice.Below(280); left > 0; --left) {
    if (dice.Chance(busy)) {
      std::optional<std::uint64_t> subject;
      if (dice.Chance(0.6)) subject = static_cast<std::uint64_t>(dice.Below(4));
      const double length = model.feature_norm * (dice.Chance(0.5) ? 1 : dice.Uniform());
      const Vector x = aligned ? Vector(Vector::Unit(d, 0) * length) : dice.Direction(d, length);
      const double y = model.label_bound * (dice.Chance(0.5) ? 1 : dice.Uniform(-1, 1));
      alive.push_back({script.Learn(x, y, subject), subject});
    } else {
      script.Learn(Vector::Zero(d), 0);
    }
    const bool ask = left == 1 || dice.Chance(asking);
    if (ask && !alive.empty() && script.requests().size() < most) {
      script.Forget(TakeBatch(dice, alive));
    }
  }
}

std::optional<LinearRun> RandomLinearRun(Dice& dice) {
  LinearRun run{Script(RandomSquaredSpec(dice)), {}};
  AddRandomStream(dice, run.script);
  if (run.script.requests().empty()) return std::nullopt;
  run.sigmas = run.script.Sigmas();
  return InRegime(std::move(run));
}

LinearRun WithDraws(Script script) {
  LinearRun run{std::move(script), {}};
  for (const Forgetting& draw : run.script.Draws()) {
    run.sigmas.push_back(draw.sigma);
    run.shrinks.push_back(draw.shrink);
  }
  return run;
}

std::optional<LinearRun> InRegime(LinearRun run) {
  const Script& script = run.script;
  const auto& events = script.events();
  const Constants& c = script.plan().constants;
  const auto first = std::find_if_not(events.begin(), events.end(), IsEmpty);
  const double eta = script.plan().schedule.Step(first - events.begin() + 1);
  const auto pushes = static_cast<double>(
      std::count_if(first, events.end(), [](const Example& example) { return !IsEmpty(example); }));
  if (eta * c.beta > 0.02 || pushes * eta * c.L > c.radius / 2) return std::nullopt;
  const double variance =
      std::inner_product(run.sigmas.begin(), run.sigmas.end(), run.sigmas.begin(), 0.0);
  if (variance > 0.04 * c.radius * c.radius) return std::nullopt;
  double late = 0;  // deleted events whose step only one world takes after the first draw
  for (const Request& request : script.requests()) {
    for (const Target& target : request.batch) {
      late += target.index.value >= script.requests().front().after;
    }
  }
  // One such step changes a covariance by at most the fraction 2 eta beta.
  run.max_order = 0.5 / (late * 2 * eta * c.beta);
  if (run.max_order < 4) return std::nullopt;
  return run;
}

std::vector<double> ExactRatios(const LinearRun& run) {
  std::vector<double> orders;
  for (const double order : kOrders) {
    if (order <= run.max_order) orders.push_back(order);
  }
  const std::size_t count = run.script.requests().size();
  const std::vector<GaussianWorld> learned = Laws(run, {}, count - 1);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < count; ++i) {
    const GaussianWorld blank = Laws(run, run.script.Blank(i), i).back();
    ratios.push_back(ExactRho(learned[i], blank, orders) / run.script.plan().promise.rho);
  }
  return ratios;
}

}  // namespace lethe::proof
