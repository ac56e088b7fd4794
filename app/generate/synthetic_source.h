#pragma once

#include <cstdint>
#include <vector>

#include "app/generate/example_source.h"
#include "app/generate/split_mix.h"

namespace lethe {

// The options of a synthetic source, as in GenerateOptions.
struct SyntheticOptions {
  Task task = Task::kClassification;
  std::int64_t events = 0;
  std::int64_t dimension = 0;
  double drift = 0;
  std::int64_t subjects = 0;
};

// A source of points on the unit sphere, labelled by a linear truth that may turn over time. Not
// thread-safe. Next never fails.
class SyntheticSource final : public ExampleSource {
 public:
  // `random` must outlive the source.
  SyntheticSource(const SyntheticOptions& options, SplitMix& random);

  Result<bool> Next(Sample& sample) override;
  std::optional<std::int64_t> count() const override { return options_.events; }
  std::int64_t people() const override { return options_.subjects; }

 private:
  double Truth(const std::vector<double>& x) const;
  double Label(double score);

  const SyntheticOptions options_;
  SplitMix& random_;
  std::vector<double> start_, end_;  // the truth at both ends of the stream
  std::int64_t event_ = 0;
};

}  // namespace lethe
