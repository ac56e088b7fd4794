#pragma once

#include <cstdint>
#include <vector>

#include "app/generate/example_source.h"
#include "engine/base/split_mix.h"

namespace lethe {

// The options of a synthetic source, as in GenerateOptions.
struct SyntheticOptions {
  Task task = Task::kClassification;
  std::int64_t events = 0;
  std::int64_t dimension = 0;
  double drift = 0;
  std::int64_t subjects = 0;
  std::int64_t classes = 0;
  double weights = 0;
};

// A source of points on the unit sphere, labelled by a linear truth that may turn over time. With
// classes there is a truth for each, and the label is the number of a class. Not thread-safe. Next
// never fails.
class SyntheticSource final : public ExampleSource {
 public:
  // `random` must outlive the source.
  SyntheticSource(const SyntheticOptions& options, SplitMix& random);

  Result<bool> Next(Sample& sample) override;
  std::optional<std::int64_t> count() const override { return options_.events; }
  std::int64_t people() const override { return options_.subjects; }

 private:
  // A direction that is `start` before the first event and turns towards `end`.
  struct Truth {
    std::vector<double> start, end;
  };

  double Score(const Truth& truth, const std::vector<double>& x) const;
  double Label(double score);
  double Class(const std::vector<double>& x);

  const SyntheticOptions options_;
  SplitMix& random_;
  std::vector<Truth> truths_;  // one, or one for each class
  std::vector<double> parts_;  // of the classes, reused
  std::int64_t event_ = 0;
};

}  // namespace lethe
