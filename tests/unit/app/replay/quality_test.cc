#include "app/replay/quality.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace lethe::quality_test {
namespace {

struct Row {
  double score = 0;
  double y = 0;
  double w = 1;
};

std::vector<Row> Rows(int n, bool weighted, std::uint64_t seed = 1) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  std::vector<Row> rows;
  for (int i = 0; i < n; ++i) {
    Row row;
    row.score = 2 * normal(bits);
    row.y = row.score + 2 * normal(bits) > 0.5 ? 1 : -1;
    if (weighted) row.w = 0.25 * static_cast<double>(bits() % 9);
    rows.push_back(row);
  }
  return rows;
}

Loss Softmax(std::size_t classes) {
  ModelSpec model;
  model.loss = LossKind::kSoftmax;
  model.classes = static_cast<std::int64_t>(classes);
  return Loss(model);
}

Quality TallyOf(const std::vector<Row>& rows, LossKind kind = LossKind::kLogistic) {
  QualityTally tally{Loss(kind)};
  for (const Row& row : rows) tally.Add({.score = row.score}, row.y, row.w);
  return tally.Result();
}

// The AUC by its definition: the share of pairs in the right order.
double ExactAuc(const std::vector<Row>& rows) {
  double right = 0, pairs = 0;
  for (const Row& positive : rows) {
    if (positive.y < 0) continue;
    for (const Row& negative : rows) {
      if (negative.y > 0) continue;
      const double w = positive.w * negative.w;
      pairs += w;
      if (positive.score > negative.score) right += w;
      if (positive.score == negative.score) right += w / 2;
    }
  }
  return right / pairs;
}

TEST(Quality, IsWhatTheDefinitionsSay) {
  for (const bool weighted : {false, true}) {
    const std::vector<Row> rows = Rows(1000, weighted);
    double weight = 0, loss = 0, brier = 0, right = 0, positives = 0, found = 0;
    for (const Row& row : rows) {
      const double p = 1 / (1 + std::exp(-row.score));
      const double truth = row.y > 0 ? 1 : 0;
      weight += row.w;
      loss -= row.w * std::log(truth > 0 ? p : 1 - p);
      brier += row.w * (p - truth) * (p - truth);
      right += row.w * static_cast<double>((row.score > 0) == (row.y > 0));
      positives += row.w * truth;
      found += row.w * truth * static_cast<double>(row.score > 0);
    }
    const Quality q = TallyOf(rows);
    EXPECT_DOUBLE_EQ(q.weight, weight);
    EXPECT_NEAR(*q.mean_loss, loss / weight, 1e-12);
    EXPECT_EQ(q.log_loss, q.mean_loss);
    EXPECT_NEAR(*q.brier, brier / weight, 1e-12);
    EXPECT_NEAR(*q.accuracy, right / weight, 1e-12);
    EXPECT_NEAR(*q.auc, ExactAuc(rows), 1e-4);
    EXPECT_NEAR(*q.recall[1], found / positives, 1e-12);
    EXPECT_NEAR(q.confusion[1][1], found, 1e-9);
    EXPECT_NEAR(q.confusion[1][0], positives - found, 1e-9);
    double all = 0;
    for (const auto& line : q.confusion) all += line[0] + line[1];
    EXPECT_NEAR(all, weight, 1e-9);
    EXPECT_FALSE(q.rmse || q.mae || q.r2);
  }
}

// A weight of 3 is as good as three rows, in every figure but the constant, which knows the earlier
// of them.
TEST(Quality, AWeightIsARepetition) {
  std::vector<Row> weighted = Rows(500, false), repeated;
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    weighted[i].w = static_cast<double>(i % 4);
    for (std::size_t k = 0; k < i % 4; ++k) {
      repeated.push_back(weighted[i]);
      repeated.back().w = 1;
    }
  }
  for (const LossKind kind : {LossKind::kLogistic, LossKind::kSquared, LossKind::kHuber}) {
    const Quality a = TallyOf(weighted, kind), b = TallyOf(repeated, kind);
    EXPECT_NEAR(*a.mean_loss, *b.mean_loss, 1e-12);
    EXPECT_EQ(a.accuracy, b.accuracy);
    EXPECT_EQ(a.auc, b.auc);
    EXPECT_EQ(a.confusion, b.confusion);
    if (kind == LossKind::kLogistic) continue;
    EXPECT_NEAR(*a.rmse, *b.rmse, 1e-12);
    EXPECT_NEAR(*a.mae, *b.mae, 1e-12);
    EXPECT_NEAR(*a.r2, *b.r2, 1e-12);
  }
}

// The AUC does not depend on the scale of the scores, and ties count half.
TEST(Quality, TheAucOrdersScoresOfEverySize) {
  for (const double scale : {1e-30, 1e-6, 1.0, 1e6, 1e30}) {
    std::vector<Row> rows = Rows(400, false);
    for (Row& row : rows) row.score *= scale;
    EXPECT_NEAR(*TallyOf(rows).auc, ExactAuc(rows), 2e-3) << scale;
  }
  EXPECT_EQ(TallyOf({{0, 1}, {0, -1}, {-0.0, 1}}).auc, 0.5);
  EXPECT_EQ(TallyOf({{2, 1}, {-2, -1}}).auc, 1);
  EXPECT_EQ(TallyOf({{-2, 1}, {2, -1}}).auc, 0);
  EXPECT_EQ(TallyOf({{2, 1}, {1, 1}}).auc, std::nullopt);
}

// The constant only knows what came before.
TEST(Quality, TheConstantPredictsBeforeItLearns) {
  const std::vector<Row> rows = Rows(777, false);
  double right = 0, loss = 0, positives = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto n = static_cast<double>(i);
    const bool says_positive = 2 * positives > n;
    const bool is_tie = 2 * positives == n;
    const bool truth = rows[i].y > 0;
    if (!is_tie) right += static_cast<double>(says_positive == truth);
    loss -= std::log(((truth ? positives : n - positives) + 1) / (n + 2));
    if (truth) ++positives;
  }
  const Quality q = TallyOf(rows);
  EXPECT_NEAR(*q.constant.mean_loss, loss / 777, 1e-12);
  EXPECT_NEAR(*q.constant.accuracy, right / 777, 30.0 / 777);  // ties
  const Quality skewed = TallyOf({{1, 1}, {1, 1}, {1, 1}, {1, -1}});
  EXPECT_EQ(*skewed.constant.accuracy, 0.5);  // -1 at first, then twice right, then wrong
}

TEST(Quality, OfNumbers) {
  const std::vector<Row> rows = {{1, 2}, {2, 2}, {4, 3}, {0, 1}};
  const Quality q = TallyOf(rows, LossKind::kSquared);
  EXPECT_DOUBLE_EQ(*q.rmse, std::sqrt(3.0 / 4));
  EXPECT_DOUBLE_EQ(*q.mae, 3.0 / 4);
  EXPECT_DOUBLE_EQ(*q.r2, 1 - 3.0 / 2.0);
  EXPECT_DOUBLE_EQ(*q.mean_loss, 3.0 / 8);
  // The mean so far: 0, 2, 2, 7/3.
  EXPECT_DOUBLE_EQ(*q.constant.mae, (2 + 0 + 1 + 4.0 / 3) / 4);
  EXPECT_DOUBLE_EQ(*q.constant.rmse, std::sqrt((4 + 0 + 1 + 16.0 / 9) / 4));
  EXPECT_FALSE(q.accuracy || q.auc || q.brier || q.log_loss);
  EXPECT_FALSE(TallyOf({{1, 2}, {3, 2}}, LossKind::kSquared).r2);
}

// Two classes by softmax are those of the logistic loss.
TEST(Quality, SoftmaxOfTwoClassesIsLogistic) {
  const std::vector<Row> rows = Rows(600, true);
  QualityTally tally{Softmax(2)};
  for (const Row& row : rows) {
    const double scores[] = {7 - row.score / 2, 7 + row.score / 2};
    tally.Add({.scores = scores}, row.y > 0 ? 1 : 0, row.w);
  }
  const Quality softmax = tally.Result(), logistic = TallyOf(rows);
  EXPECT_NEAR(*softmax.log_loss, *logistic.log_loss, 1e-12);
  EXPECT_NEAR(*softmax.brier, 2 * *logistic.brier, 1e-12);  // of both classes
  EXPECT_EQ(softmax.accuracy, logistic.accuracy);
  EXPECT_EQ(softmax.confusion, logistic.confusion);
  EXPECT_EQ(softmax.recall, logistic.recall);
  EXPECT_EQ(softmax.constant.accuracy, logistic.constant.accuracy);
}

TEST(Quality, ManyClassesHaveNoConfusionMatrix) {
  for (const std::size_t count : {std::size_t{3}, std::size_t{257}}) {
    QualityTally tally{Softmax(count)};
    std::vector<double> scores(count, 0.0);
    scores[2] = 800;
    tally.Add({.scores = scores}, 2, 1);
    tally.Add({.scores = scores}, 1, 1);
    const Quality q = tally.Result();
    EXPECT_EQ(q.confusion.empty(), count > 256);
    EXPECT_EQ(*q.accuracy, 0.5);
    EXPECT_EQ(q.recall[2], 1);
    EXPECT_EQ(q.recall[1], 0);
    EXPECT_EQ(q.recall[0], std::nullopt);
    EXPECT_DOUBLE_EQ(*q.log_loss, 400);
  }
}

// A result in between changes no bit of the later ones.
TEST(Quality, MayBeAskedAtAnyTime) {
  QualityTally asked{Loss(LossKind::kLogistic)}, quiet{Loss(LossKind::kLogistic)};
  EXPECT_FALSE(asked.mean_loss() || asked.accuracy() || asked.Result().auc);
  for (const Row& row : Rows(300, true)) {
    asked.Add({.score = row.score}, row.y, row.w);
    quiet.Add({.score = row.score}, row.y, row.w);
    asked.Result();
    asked.mean_loss();
  }
  EXPECT_EQ(asked.Result().mean_loss, quiet.Result().mean_loss);
  EXPECT_EQ(asked.Result().brier, quiet.Result().brier);
  EXPECT_EQ(asked.Result().constant.mean_loss, quiet.Result().constant.mean_loss);
}

}  // namespace
}  // namespace lethe::quality_test
