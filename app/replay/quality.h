#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/json.h"
#include "engine/ports/prediction.h"
#include "engine/spec/loss.h"
#include "engine/spec/spec.h"

namespace lethe {

// How well a run predicted. Every figure is a mean over the learned events, weighted by their
// importance weights, of predictions made before the event was learned. A figure that does not
// apply to the loss is empty. A value type.
struct Quality {
  double weight = 0;                // the sum of all weights: without weights, the number of events
  std::optional<double> mean_loss;  // of the configured loss, without the regulariser

  // Classification. Classes are numbered from 0; with the logistic loss, class 0 has the label -1
  // and class 1 the label +1.
  std::optional<double> accuracy;
  std::optional<double> log_loss;
  std::optional<double>
      brier;                  // squared distance of the probabilities: of y = 1, or of all classes
  std::optional<double> auc;  // two classes, of which both came; QualityTally says how exact it is
  std::vector<double> classes;                // the weight of each class
  std::vector<std::optional<double>> recall;  // of each class: the share that was recognised
  // confusion[true class][predicted class]; empty with more than kMostConfused classes.
  std::vector<std::vector<double>> confusion;

  // Regression.
  std::optional<double> rmse, mae;
  std::optional<double> r2;  // none if all labels are equal

  // The same of a constant that knows what came before: the most frequent class, and the
  // frequencies of the classes as probabilities; or the mean label.
  struct Constant {
    std::optional<double> mean_loss, accuracy, rmse, mae;
  };
  Constant constant;
};

inline constexpr std::int64_t kMostConfused = 256;

// The figures as a JSON object. `classes`: names of the classes; empty: their labels are written.
void WriteQuality(const Quality& quality, const ModelSpec& model, JsonWriter& json);
// The label of a class, as events state it.
std::string ClassLabel(const ModelSpec& model, std::size_t number);

// Computes Quality while a run goes on. Its memory does not grow with the stream: 2 MB for the AUC,
// and the square of the number of classes. Not thread-safe.
//
// The AUC is computed from a histogram. Two scores within 1/256 of each other, relative to their
// size, can be in one bin, and then count as a tie, which is half a pair in the right order. So the
// AUC differs from the exact one by at most half of the share of such pairs.
class QualityTally {
 public:
  explicit QualityTally(const Loss& loss) : loss_(loss) {}

  // Adds a prediction that was made before an event with this label and weight was learned.
  void Add(const Prediction& prediction, double y, double w);

  std::int64_t events() const { return events_; }
  // None before the first event of a positive weight.
  std::optional<double> mean_loss() const;
  std::optional<double> accuracy() const;
  Quality Result() const;

 private:
  // What was added, and is not in `value_sum` and `brier_sum` yet.
  struct Sums {
    double loss = 0;
    double brier = 0;
  };
  Sums Totals() const;
  bool is_classification() const;
  void AddClass(std::size_t truth, std::size_t predicted, double w);
  void AddConstantOf(std::size_t truth, double w);
  void AddBinary(double score, double y, double w);
  void AddScores(std::span<const double> scores, std::size_t truth, double w);
  void AddNumber(double predicted, double y, double w);
  void Buffer(double p, double y, double w);
  double Auc() const;

  Loss loss_;
  std::int64_t events_ = 0;
  double weight_ = 0;
  double correct_ = 0;  // weight of right predictions
  Sums sums_;           // without the buffered predictions
  // The last predictions: the vectorised loss is several times cheaper. Buffering changes no bit.
  int waiting_ = 0;
  Loss::Many p_ = Loss::Many::Zero();
  Loss::Many y_ = Loss::Many::Zero();
  Loss::Many w_ = Loss::Many::Zero();

  std::vector<double> classes_;    // weight of each class
  std::vector<double> right_;      // weight of each class that was recognised
  std::vector<double> confusion_;  // row by row
  std::vector<double> histogram_;  // weights of the negatives and positives of each bin

  // The constant. `odds_` is a product of the probabilities of events of weight 1, whose logarithm
  // is not in constant_loss_ yet.
  std::size_t majority_ = 0;
  double constant_correct_ = 0;
  double constant_loss_ = 0;
  double odds_ = 1;
  int odds_waiting_ = 0;

  // Regression.
  double squares_ = 0, absolutes_ = 0;
  double constant_squares_ = 0, constant_absolutes_ = 0;
  double mean_ = 0;    // of the labels
  double spread_ = 0;  // sum of their squared distances to the mean
};

}  // namespace lethe
