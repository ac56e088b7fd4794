#pragma once

#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "engine/base/split_mix.h"
#include "engine/modes/registry.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/passive_spec.h"
#include "tests/support/proof_random.h"

namespace lethe::testing {

inline void ExpectRelative(double value, double expected, double error) {
  EXPECT_NEAR(value, expected, error * std::abs(expected));
}

// The constants of the reference numbers, which were computed without the slack for rounding.
inline Constants PlainLogistic(double lambda, double radius) {
  return {.feature_norm = 1,
          .radius = radius,
          .G = 1,
          .L = 1 + lambda * radius,
          .beta = 0.25 + lambda,
          .mu = lambda};
}

// A second logistic stream for reference numbers: rows of `dimension` values (2u-1)/sqrt(d),
// then y = +1 iff u < 1/(1 + exp(-<w,x>)) with w = (+12, -12, ...).
inline std::vector<Example> ScatteredData(std::uint64_t seed, int n, int dimension) {
  SplitMix random(seed);
  std::vector<Example> data;
  for (int i = 0; i < n; ++i) {
    Example example{Vector(dimension), 0};
    double score = 0;
    for (int j = 0; j < dimension; ++j) {
      example.x[j] = (2 * random.Uniform() - 1) / std::sqrt(static_cast<double>(dimension));
      score += (j % 2 == 0 ? 12 : -12) * example.x[j];
    }
    example.y = random.Uniform() < 1 / (1 + std::exp(-score)) ? 1 : -1;
    data.push_back(std::move(example));
  }
  return data;
}

// One mode with constants of the test's choice.
class ModeFixture : public ::testing::Test {
 protected:
  void Start(const Spec& spec, const Constants& constants) {
    spec_ = spec;
    constants_ = constants;
    payloads_ = MemoryPayloads();
    const auto promise = Promise::FromBudget(spec.forgetting.budget);
    const auto schedule = Schedule::Make(spec.learning, spec.forgetting.split, constants,
                                         promise.value().rho, spec.model.dimension);
    mode_ = FindMode(spec.forgetting.mode)
                ->make({.spec = spec_,
                        .constants = constants,
                        .schedule = schedule.value(),
                        .promise = promise.value(),
                        .shard = {0},
                        .random = random(),
                        .payloads = payloads_});
  }
  void Learn(const std::vector<Example>& data, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) mode_->Learn(data[i]);
  }
  void Learn(const std::vector<Example>& data) { Learn(data, 0, data.size()); }
  // Forgets the events [begin, end) in one batch.
  Forgetting Forget(std::int64_t begin, std::int64_t end) {
    std::vector<Target> batch;
    for (std::int64_t i = begin; i < end; ++i) batch.push_back({{i}, {}});
    mode_->Release(batch);
    const auto forgetting = mode_->Forget(batch);
    EXPECT_TRUE(forgetting.ok()) << forgetting.status().message();
    return forgetting.ok() ? forgetting.value() : Forgetting{};
  }
  virtual RandomSource& random() { return keyed_random_; }

  Spec spec_ = PassiveSpec();
  Constants constants_;
  MemoryPayloads payloads_;
  proof::KeyedRandom keyed_random_{1};
  std::unique_ptr<Unlearner> mode_;
};

}  // namespace lethe::testing
