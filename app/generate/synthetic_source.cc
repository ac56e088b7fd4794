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
  for (auto* truth : {&start_, &end_}) {
    for (std::int64_t j = 0; j < options_.dimension; ++j) truth->push_back(random_.Normal());
    Normalise(*truth);
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
  sample.y = Label(Truth(sample.x));
  ++event_;
  return true;
}

double SyntheticSource::Truth(const std::vector<double>& x) const {
  const auto angle = elementary::SinCosOfTurns(options_.drift / 4 * static_cast<double>(event_) /
                                               static_cast<double>(options_.events));
  double score = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    score += (angle.cos * start_[j] + angle.sin * end_[j]) * x[j];
  }
  return score;
}

double SyntheticSource::Label(double score) {
  if (options_.task == Task::kClassification) {
    return random_.Uniform() < 1 / (1 + elementary::Exp(-kSharpness * score)) ? 1 : -1;
  }
  return Rounded(std::clamp(score + kLabelNoise * random_.Normal(), -1.0, 1.0));
}

}  // namespace lethe
