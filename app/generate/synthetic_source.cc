#include "app/generate/synthetic_source.h"

#include <algorithm>
#include <cmath>

#include "engine/base/elementary.h"

namespace lethe {
namespace {

constexpr double kSharpness = 16;    // classification: the slope of the labels' probability
constexpr double kLabelNoise = 0.1;  // regression

void Normalise(std::vector<double>& x) {
  double squared = 0;
  for (const double value : x) squared += value * value;
  for (double& value : x) value /= std::sqrt(squared);
}

}  // namespace

SyntheticSource::SyntheticSource(const SyntheticOptions& options, SplitMix& random)
    : options_(options), random_(random) {
  for (std::int64_t k = std::max<std::int64_t>(1, options_.classes); k > 0; --k) {
    Truth& truth = truths_.emplace_back();
    for (auto* direction : {&truth.start, &truth.end}) {
      for (std::int64_t j = 0; j < options_.dimension; ++j) direction->push_back(random_.Normal());
      Normalise(*direction);
    }
  }
}

Result<bool> SyntheticSource::Next(Sample& sample) {
  if (event_ == options_.events) return false;
  sample.x.clear();
  for (std::int64_t j = 0; j < options_.dimension; ++j) {
    sample.x.push_back(2 * random_.Uniform() - 1);
  }
  Normalise(sample.x);
  for (double& value : sample.x) value = Rounded(value);
  sample.person.reset();
  if (options_.subjects > 0) sample.person = random_.Below(options_.subjects);
  sample.y = options_.classes > 0 ? Class(sample.x) : Label(Score(truths_.front(), sample.x));
  // Above 0, with two decimals.
  if (options_.weights > 0) {
    sample.w = std::ceil(random_.Uniform() * options_.weights * 100) / 100;
    sample.w = std::clamp(sample.w, 0.01, options_.weights);
  }
  ++event_;
  return true;
}

double SyntheticSource::Score(const Truth& truth, const std::vector<double>& x) const {
  const auto angle = elementary::SinCosOfTurns(options_.drift / 4 * static_cast<double>(event_) /
                                               static_cast<double>(options_.events));
  double score = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    score += (angle.cos * truth.start[j] + angle.sin * truth.end[j]) * x[j];
  }
  return score;
}

// Draws a class with a probability in proportion to exp(kSharpness * score).
double SyntheticSource::Class(const std::vector<double>& x) {
  parts_.clear();
  double total = 0;
  for (const Truth& truth : truths_) {
    total += parts_.emplace_back(elementary::Exp(kSharpness * Score(truth, x)));
  }
  double left = random_.Uniform() * total;
  std::size_t k = 0;
  while (k + 1 < parts_.size() && left >= parts_[k]) left -= parts_[k++];
  return static_cast<double>(k);
}

double SyntheticSource::Label(double score) {
  if (options_.task == Task::kClassification) {
    return random_.Uniform() < 1 / (1 + elementary::Exp(-kSharpness * score)) ? 1 : -1;
  }
  return Rounded(std::clamp(score + kLabelNoise * random_.Normal(), -1.0, 1.0));
}

}  // namespace lethe
