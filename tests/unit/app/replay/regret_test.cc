#include "app/replay/regret.h"

#include <gtest/gtest.h>

#include "app/compare/compare.h"
#include "app/compare/frontier.h"
#include "app/compare/table.h"
#include "app/replay/best_model.h"
#include "engine/base/split_mix.h"
#include "tests/support/passive_spec.h"

namespace lethe::regret_test {
namespace {

Constants SquaredConstants(double lambda, double radius) {
  return {.feature_norm = 1, .radius = radius, .G = 1, .L = 1, .beta = 1 + lambda, .mu = lambda};
}

struct Data {
  std::vector<Example> events;

  Data(int n, std::uint64_t seed) {
    SplitMix random(seed);
    for (int i = 0; i < n; ++i) {
      Example example{Vector(3), 0};
      for (double& value : example.x) value = random.Uniform() - 0.5;
      example.y = 2 * example.x[0] - example.x[2] + 0.1 * random.Normal();
      events.push_back(example);
    }
  }

  // Ridge regression by the normal equations, without the rows in `gone`.
  Vector Ridge(double lambda, const std::vector<std::int64_t>& gone) const {
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(3, 3);
    Vector b = Vector::Zero(3);
    double n = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      if (std::find(gone.begin(), gone.end(), static_cast<std::int64_t>(i)) != gone.end()) continue;
      a += events[i].x * events[i].x.transpose();
      b += events[i].y * events[i].x;
      ++n;
    }
    a.diagonal().array() += n * lambda;
    return a.ldlt().solve(b);
  }
};

double Cost(const Example& e, const Vector& z, double lambda) {
  const double p = z.dot(e.x);
  return (p - e.y) * (p - e.y) / 2 + lambda / 2 * z.squaredNorm();
}

TEST(Regret, ComparatorChangesAtEachDeletionAsInEquationFive) {
  const Data data(200, 1);
  const double lambda = 0.1;
  Regret regret(Loss(LossKind::kSquared), SquaredConstants(lambda, 100));
  const std::vector<std::int64_t> first = {3, 50}, second = {7, 120};
  for (std::size_t i = 0; i < data.events.size(); ++i) {
    regret.Learn({{static_cast<std::int64_t>(i)}, {0}, 0, data.events[i]});
    if (i == 99) regret.Forget(std::vector<Target>{{{3}, {}}, {{50}, {}}});
    if (i == 149) regret.Forget(std::vector<Target>{{{7}, {}}, {{120}, {}}});
  }
  const Vector z[] = {data.Ridge(lambda, {}), data.Ridge(lambda, first),
                      data.Ridge(lambda, {3, 50, 7, 120})};
  double expected = 0;
  for (std::size_t i = 0; i < data.events.size(); ++i) {
    expected += Cost(data.events[i], z[i < 100 ? 0 : i < 150 ? 1 : 2], lambda);
  }
  EXPECT_NEAR(regret.Comparator(), expected, 1e-9);
}

TEST(Regret, TheBestModelStaysInTheBall) {
  const Data data(100, 2);
  BestModel::Rows x(100, 3);
  Vector y(100);
  for (int i = 0; i < 100; ++i) {
    x.row(i) = data.events[static_cast<std::size_t>(i)].x.transpose();
    y[i] = data.events[static_cast<std::size_t>(i)].y;
  }
  const Eigen::Map<const BestModel::Rows> rows(x.data(), 100, 3);
  const Eigen::Map<const Vector> labels(y.data(), 100);
  BestModel best(Loss(LossKind::kSquared), SquaredConstants(0.01, 0.5), rows, labels);
  const Vector z = best.Solve();
  EXPECT_NEAR(z.norm(), 0.5, 1e-9);
  // On the boundary the gradient points straight inwards (KKT).
  const Vector gradient = (x.transpose() * (x * z - y)) / 100 + 0.01 * z;
  EXPECT_LT((gradient - gradient.dot(z) / z.squaredNorm() * z).norm(), 1e-7);
}

std::vector<Record> Records(int n) {
  const Data data(n, 3);
  std::vector<Record> records;
  const auto add = [&](EventKind kind, const std::string& id) -> Record& {
    Record record;
    record.offset = {static_cast<std::int64_t>(records.size())};
    record.event.kind = kind;
    record.event.id = id;
    records.push_back(record);
    return records.back();
  };
  for (int i = 0; i < n; ++i) {
    Record& learn = add(EventKind::kLearn, "e" + std::to_string(i));
    const Example& example = data.events[static_cast<std::size_t>(i)];
    learn.event.x.assign(example.x.begin(), example.x.end());
    learn.event.y = std::clamp(example.y, -1.0, 1.0);
    if (i % 50 == 49) add(EventKind::kDelete, "e" + std::to_string(i - 30));
  }
  return records;
}

TEST(Compare, RunsEveryModeAndKeepsTheBoundAboveTheRegret) {
  Spec base = PassiveSpec();
  base.model.loss = LossKind::kSquared;
  base.model.dimension = 3;
  base.model.lambda = 0.05;
  base.model.radius = 6;
  base.learning.eta = 0.2;
  base.noise.source = NoiseKind::kSeeded;
  base.forgetting.erm = {.warmup = 100, .refit_every = 50, .steps = 300};
  base.forgetting.fats = {.client = FatsClient::kIndex,
                          .clients = 4,
                          .draws = 2,
                          .local_steps = 2,
                          .batch = 5,
                          .round_every = 50};
  const auto contenders = AllContenders(base);
  const auto one = Compare(contenders, Records(500), {.threads = 1});
  const auto two = Compare(contenders, Records(500), {.threads = 2});
  ASSERT_TRUE(one.ok() && two.ok());
  ASSERT_EQ(one.value().size(), contenders.size());
  for (std::size_t i = 0; i < one.value().size(); ++i) {
    const Comparison& c = one.value()[i];
    if (c.contender.name == "d2d_regularised") {  // for models that are hardly regularised
      EXPECT_TRUE(c.refused);
      continue;
    }
    ASSERT_TRUE(c.result) << c.contender.name << ": " << c.refused.value_or("");
    EXPECT_EQ(c.deletions(), 10) << c.contender.name;
    ASSERT_TRUE(c.result->regret());
    if (c.result->regret_bound) {
      EXPECT_LE(*c.result->regret(), *c.result->regret_bound) << c.contender.name;
    }
    // Threads change nothing.
    EXPECT_EQ(c.result->shards[0].weights, two.value()[i].result->shards[0].weights);
  }
  EXPECT_NE(CompareTable(one.value()).find("retrain"), std::string::npos);
  // Noise from a seed: no certificate, and the table says so.
  EXPECT_NE(CompareTable(one.value()).find("none: the noise came from a seed"), std::string::npos);
  EXPECT_NE(CompareJson(one.value()).find("\"gradients_per_deletion\""), std::string::npos);
}

TEST(Compare, TheTableNamesEachCertificate) {
  Spec base = PassiveSpec();
  base.model.dimension = 3;
  const auto contenders = ChooseContenders(AllContenders(base), {"passive", "retrain", "none"});
  const std::string table = CompareTable(Compare(contenders.value(), Records(60), {}).value());
  EXPECT_NE(table.find("no   yes  (1, 1e-06)\n"), std::string::npos) << table;
  EXPECT_NE(table.find("no   yes  exact\n"), std::string::npos) << table;
  EXPECT_NE(table.find("no    no  none: mode none does not forget"), std::string::npos) << table;
}

// Every figure of the trade stands beside that of a constant, for classes and for numbers.
TEST(Compare, TheTableHasTheFiguresOfTheTradeAndAConstant) {
  Spec base = PassiveSpec();
  base.model.dimension = 3;
  const auto contenders = ChooseContenders(AllContenders(base), {"none"});
  const auto signs = [] {
    std::vector<Record> records = Records(200);
    for (Record& record : records) record.event.y = record.event.y > 0 ? 1 : -1;
    return records;
  }();
  const auto comparisons = Compare(contenders.value(), signs, {}).value();
  const std::string table = CompareTable(comparisons);
  for (const char* word : {"accuracy", "AUC", "Brier", "(a constant)"}) {
    EXPECT_NE(table.find(word), std::string::npos) << table;
  }
  EXPECT_NE(CompareJson(comparisons).find("\"confusion\":[["), std::string::npos);
  base.model.loss = LossKind::kSquared;
  const auto numbers = ChooseContenders(AllContenders(base), {"none"});
  const auto of_numbers = Compare(numbers.value(), Records(200), {}).value();
  for (const char* word : {"RMSE", "MAE", "R2", "(a constant)"}) {
    EXPECT_NE(CompareTable(of_numbers).find(word), std::string::npos) << CompareTable(of_numbers);
  }
  EXPECT_NE(CompareJson(of_numbers).find("\"r2\":"), std::string::npos);
}

// Noise that drowns a model is said here too, in dense models and without a hopeless deadline.
TEST(Compare, WarnsOfNoiseThatDrownsTheModel) {
  Spec base = PassiveSpec();
  base.model.dimension = 3;
  base.model.lambda = 1e-5;
  const auto contenders = ChooseContenders(AllContenders(base), {"passive", "none"});
  const std::string lines = WarningLines(Compare(contenders.value(), Records(60), {}).value());
  EXPECT_TRUE(lines.starts_with("warning: passive: deleting one of the latest events")) << lines;
  EXPECT_EQ(lines.find("forgetting.deadline"), std::string::npos) << lines;
}

// What was refused has its remedy.
TEST(Compare, RefusedRecordsHaveARemedy) {
  Spec base = PassiveSpec();
  base.model.dimension = 4;
  const auto contenders = ChooseContenders(AllContenders(base), {"none"});
  const std::string lines = RefusedLines(Compare(contenders.value(), Records(20), {}).value());
  EXPECT_NE(lines.find("20 wrong_dimension\n  wrong_dimension: set model.dimension"),
            std::string::npos)
      << lines;
}

// A mode that runs out of its budget says so, with how often.
TEST(Compare, TheTableSaysWhatWasNotCertifiedAtRunTime) {
  Spec base = PassiveSpec();
  base.model.loss = LossKind::kSquared;
  base.model.dimension = 3;
  const auto contenders = ChooseContenders(AllContenders(base), {"online_dp"});
  const auto comparisons = Compare(contenders.value(), Records(500), {}).value();
  EXPECT_EQ(comparisons[0].result->uncertified, 9);
  EXPECT_FALSE(comparisons[0].is_adaptive);
  EXPECT_NE(CompareTable(comparisons).find("none: 9 of 10 deletions: more events were deleted"),
            std::string::npos);
}

TEST(Compare, TheFrontierHasEveryBudgetOnce) {
  Spec base = PassiveSpec();
  base.model.dimension = 3;
  const auto chosen = ChooseContenders(AllContenders(base), {"passive/all", "retrain", "none"});
  const auto sweep = Sweep(chosen.value(), {0.5, 2});
  // passive and passive/zeta twice each; what does not depend on the budget once.
  ASSERT_EQ(sweep.size(), 6u);
  const auto comparisons = Compare(sweep, Records(200), {.regret = false}).value();
  const std::string json = FrontierJson(comparisons);
  EXPECT_NE(json.find("\"name\":\"passive\",\"certified\":true"), std::string::npos) << json;
  EXPECT_NE(json.find("\"epsilon\":0.5"), std::string::npos);
  EXPECT_NE(FrontierTable(comparisons).find("exact"), std::string::npos);
}

TEST(Compare, AModeCanBeChosenAloneOrWithAllItsForms) {
  const auto names = [](const char* chosen) {
    std::vector<std::string> found;
    const auto contenders = ChooseContenders(AllContenders({}), {chosen});
    for (const Contender& one : contenders.value()) found.push_back(one.name);
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names("noisy_gd"), Names{"noisy_gd"});
  EXPECT_EQ(names("noisy_gd/all"), (Names{"noisy_gd", "noisy_gd/adaptive", "noisy_gd/paper"}));
  EXPECT_EQ(names("active").size(), 5u);
  EXPECT_EQ(names("active"), names("active/all"));
  EXPECT_EQ(names("all").size(), AllContenders({}).size());
}

TEST(Compare, RefusesAnUnknownModeWithTheNearest) {
  const auto chosen = ChooseContenders(AllContenders({}), {"pasive"});
  ASSERT_FALSE(chosen.ok());
  EXPECT_NE(chosen.status().message().find("passive"), std::string::npos);
}

TEST(Compare, SaysWhyAModeCannotRun) {
  Spec base = PassiveSpec();
  base.model.dimension = 3;
  base.model.radius = 1;  // too small for second_order
  const auto contenders = ChooseContenders(AllContenders(base), {"active/second_order"});
  ASSERT_TRUE(contenders.ok());
  const auto result = Compare(contenders.value(), Records(10), {});
  ASSERT_TRUE(result.ok());
  EXPECT_NE(result.value()[0].refused.value_or("").find("radius"), std::string::npos);
}

}  // namespace
}  // namespace lethe::regret_test
