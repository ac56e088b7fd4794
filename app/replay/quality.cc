#include "app/replay/quality.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "engine/base/elementary.h"

namespace lethe {
namespace {

constexpr std::size_t kBins = std::size_t{1} << 17;

// The bin of a score: its sign, its exponent and the first 8 bits of its mantissa, so that bins are
// in the order of the scores.
std::size_t BinOf(double score) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(score) + 0.0F);
  const std::uint32_t key = (bits >> 31) != 0 ? ~bits : bits | 0x80000000U;
  return key >> 15;
}

// The loss of a constant: -log of the share of the class so far, with one event of each class more
// than came.
double Odds(double of_class, double all, std::size_t classes) {
  return (of_class + 1) / (all + static_cast<double>(classes));
}

// The smallest odds of 2^53 events, 16 times, are within the range of a double.
constexpr int kMostOdds = 16;

std::optional<double> Share(double part, double whole) {
  return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

}  // namespace

bool QualityTally::is_classification() const {
  return loss_.kind() == LossKind::kLogistic || loss_.kind() == LossKind::kSoftmax;
}

void QualityTally::Add(const Prediction& prediction, double y, double w) {
  ++events_;
  if (loss_.kind() == LossKind::kSoftmax) {
    AddScores(prediction.scores, static_cast<std::size_t>(y), w);
  } else if (loss_.kind() == LossKind::kLogistic) {
    AddBinary(prediction.score, y, w);
  } else {
    AddNumber(prediction.score, y, w);
  }
  weight_ += w;
}

void QualityTally::AddClass(std::size_t truth, std::size_t predicted, double w) {
  AddConstantOf(truth, w);
  classes_[truth] += w;
  if (classes_[truth] > classes_[majority_]) majority_ = truth;
  if (predicted == truth) {
    right_[truth] += w;
    correct_ += w;
  }
  if (!confusion_.empty()) confusion_[truth * classes_.size() + predicted] += w;
}

void QualityTally::AddConstantOf(std::size_t truth, double w) {
  if (truth == majority_) constant_correct_ += w;
  const double odds = Odds(classes_[truth], weight_, classes_.size());
  if (w != 1) {
    constant_loss_ -= w * elementary::Log(odds);
    return;
  }
  odds_ *= odds;
  if (++odds_waiting_ < kMostOdds) return;
  constant_loss_ -= elementary::Log(odds_);
  odds_ = 1;
  odds_waiting_ = 0;
}

void QualityTally::AddBinary(double score, double y, double w) {
  if (classes_.empty()) {
    classes_.assign(2, 0);
    right_.assign(2, 0);
    confusion_.assign(4, 0);
    histogram_.assign(2 * kBins, 0);
  }
  const bool truth = y > 0;
  AddClass(truth ? 1 : 0, score > 0 ? 1 : 0, w);
  histogram_[2 * BinOf(score) + (truth ? 1 : 0)] += w;
  Buffer(score, y, w);
}

void QualityTally::AddScores(std::span<const double> scores, std::size_t truth, double w) {
  const std::size_t count = scores.size();
  if (classes_.empty()) {
    classes_.assign(count, 0);
    right_.assign(count, 0);
    if (static_cast<std::int64_t>(count) <= kMostConfused) confusion_.assign(count * count, 0);
  }
  const auto best = std::max_element(scores.begin(), scores.end());
  double sum = 0, squares = 0, of_truth = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double e = elementary::Exp(scores[i] - *best);
    sum += e;
    squares += e * e;
    if (i == truth) of_truth = e;
  }
  AddClass(truth, static_cast<std::size_t>(best - scores.begin()), w);
  sums_.loss += w * (elementary::Log(sum) + (*best - scores[truth]));
  sums_.brier += w * (squares / (sum * sum) - 2 * of_truth / sum + 1);
}

void QualityTally::AddNumber(double predicted, double y, double w) {
  const double error = predicted - y;
  squares_ += w * error * error;
  absolutes_ += w * std::abs(error);
  const double constant_error = mean_ - y;
  constant_squares_ += w * constant_error * constant_error;
  constant_absolutes_ += w * std::abs(constant_error);
  constant_loss_ += w * loss_.Value(mean_, y);
  if (w > 0) {  // Welford's recurrence with weights (West 1979)
    mean_ -= constant_error * (w / (weight_ + w));
    spread_ += w * constant_error * (mean_ - y);
  }
  Buffer(predicted, y, w);
}

void QualityTally::Buffer(double p, double y, double w) {
  p_[waiting_] = p;
  y_[waiting_] = y;
  w_[waiting_] = w;
  if (++waiting_ < Loss::kMany) return;
  sums_ = Totals();
  waiting_ = 0;
}

QualityTally::Sums QualityTally::Totals() const {
  Sums sums = sums_;
  if (waiting_ == 0) return sums;
  Loss::Many values = p_;
  loss_.Values(y_, values);
  for (int i = 0; i < waiting_; ++i) sums.loss += w_[i] * values[i];
  if (loss_.kind() != LossKind::kLogistic) return sums;
  // The slope of the logistic loss is the distance of the probability to 0 or 1.
  Loss::Many slopes = p_;
  loss_.Slopes(y_, slopes);
  for (int i = 0; i < waiting_; ++i) sums.brier += w_[i] * slopes[i] * slopes[i];
  return sums;
}

std::optional<double> QualityTally::mean_loss() const { return Share(Totals().loss, weight_); }

std::optional<double> QualityTally::accuracy() const {
  return is_classification() ? Share(correct_, weight_) : std::nullopt;
}

double QualityTally::Auc() const {
  double below = 0, right = 0;
  for (std::size_t bin = 0; bin < kBins; ++bin) {
    const double negatives = histogram_[2 * bin];
    right += histogram_[2 * bin + 1] * (below + negatives / 2);
    below += negatives;
  }
  return right / (classes_[0] * classes_[1]);
}

Quality QualityTally::Result() const {
  Quality quality;
  quality.weight = weight_;
  if (!(weight_ > 0)) return quality;
  const Sums sums = Totals();
  quality.mean_loss = sums.loss / weight_;
  if (!is_classification()) {
    quality.rmse = std::sqrt(squares_ / weight_);
    quality.mae = absolutes_ / weight_;
    if (spread_ > 0) quality.r2 = 1 - squares_ / spread_;
    quality.constant.rmse = std::sqrt(constant_squares_ / weight_);
    quality.constant.mae = constant_absolutes_ / weight_;
    quality.constant.mean_loss = constant_loss_ / weight_;
    return quality;
  }
  quality.accuracy = correct_ / weight_;
  quality.log_loss = quality.mean_loss;
  quality.brier = sums.brier / weight_;
  quality.classes = classes_;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    quality.recall.push_back(Share(right_[i], classes_[i]));
    if (confusion_.empty()) continue;
    const auto row = confusion_.begin() + static_cast<std::ptrdiff_t>(i * classes_.size());
    quality.confusion.emplace_back(row, row + static_cast<std::ptrdiff_t>(classes_.size()));
  }
  if (!histogram_.empty() && classes_[0] > 0 && classes_[1] > 0) quality.auc = Auc();
  quality.constant.accuracy = constant_correct_ / weight_;
  quality.constant.mean_loss = (constant_loss_ - elementary::Log(odds_)) / weight_;
  return quality;
}

std::string ClassLabel(const ModelSpec& model, std::size_t number) {
  if (model.loss == LossKind::kLogistic) return number == 0 ? "-1" : "1";
  if (number < model.class_names.size()) return model.class_names[number];
  return std::to_string(number);
}

void WriteQuality(const Quality& quality, const ModelSpec& model, JsonWriter& json) {
  const auto number = [&](const char* key, const std::optional<double>& value) {
    json.Key(key);
    value ? json.Value(*value) : json.Null();
  };
  json.BeginObject().Field("weight", quality.weight);
  number("mean_loss", quality.mean_loss);
  if (model.loss == LossKind::kLogistic || model.loss == LossKind::kSoftmax) {
    number("accuracy", quality.accuracy);
    number("log_loss", quality.log_loss);
    number("brier", quality.brier);
    number("auc", quality.auc);
    json.Key("classes").BeginArray();
    for (std::size_t i = 0; i < quality.classes.size(); ++i) {
      json.BeginObject().Field("label", ClassLabel(model, i)).Field("weight", quality.classes[i]);
      number("recall", quality.recall[i]);
      json.EndObject();
    }
    json.EndArray().Key("confusion");
    if (quality.confusion.empty()) {
      json.Null();
    } else {
      json.BeginArray();
      for (const std::vector<double>& row : quality.confusion) {
        json.BeginArray();
        for (const double weight : row) json.Value(weight);
        json.EndArray();
      }
      json.EndArray();
    }
    json.Key("constant").BeginObject();
    number("accuracy", quality.constant.accuracy);
    number("log_loss", quality.constant.mean_loss);
  } else {
    number("rmse", quality.rmse);
    number("mae", quality.mae);
    number("r2", quality.r2);
    json.Key("constant").BeginObject();
    number("mean_loss", quality.constant.mean_loss);
    number("rmse", quality.constant.rmse);
    number("mae", quality.constant.mae);
  }
  json.EndObject().EndObject();
}

}  // namespace lethe
