#pragma once

#include <cstdint>

#include "engine/spec/constants.h"

namespace lethe {

// A running bound on the expected regret of OLU equation (5), from public quantities alone: step
// sizes, the variances of the draws, and counts. It follows the usual analysis of online gradient
// descent on strongly convex costs. A draw adds d sigma^2 to the squared distance from the
// comparator, and a deletion moves the comparator. A value type; not thread-safe.
class RegretBound {
 public:
  RegretBound(const Constants& constants, std::int64_t dimension)
      : constants_(constants), dimension_(static_cast<double>(dimension)) {}

  void Step(double eta);
  // Accounts for a noise draw with which `events` events were deleted, after the model was
  // multiplied by `shrink`.
  void Draw(double sigma, std::int64_t events, double shrink = 1);
  // The whole bound, and the part of it that noise causes.
  double Total() const { return own_ + noise_ + ComparatorShift(); }
  double Noise() const { return noise_; }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.last_eta_, self.own_, self.noise_, self.steps_, self.deleted_,
            self.steps_before_deleted_);
  }

 private:
  double ComparatorShift() const;

  Constants constants_;
  double dimension_;
  double last_eta_ = 0;  // of the last step; 0 before the first
  double own_ = 0;
  double noise_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t deleted_ = 0;
  double steps_before_deleted_ = 0;  // sum over deleted events of the steps taken before
};

}  // namespace lethe
