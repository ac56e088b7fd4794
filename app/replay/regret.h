#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/ports/probe.h"
#include "engine/spec/constants.h"
#include "engine/spec/loss.h"

namespace lethe {

// Regret by OLU equation (5) of a whole recording: what the run paid minus what the best fixed
// model would have, where "best" is over all events but those deleted so far, and so changes with
// every deletion. Keeps all payloads of the recording, deleted ones included, so it is for the
// owner of the recording, and no certificate covers it. Not thread-safe.
class Regret {
 public:
  Regret(const Loss& loss, const Constants& constants) : loss_(loss), constants_(constants) {}

  // To be called for each step and each effective deletion of the run, in order.
  void Learn(const LearnedStep& step);
  void Forget(std::span<const Target> batch);

  // What the run paid: the sum of f_t(z_t), regulariser included.
  double paid() const { return paid_; }

  // What the changing comparator would have paid. One solve per deletion.
  double Comparator() const;

 private:
  struct Deletion {
    std::int64_t after;  // events learned before it was effective
    std::vector<std::int64_t> indices;
  };

  Loss loss_;
  Constants constants_;
  double paid_ = 0;
  std::vector<double> x_;  // row by row
  std::vector<double> y_;
  std::vector<Deletion> deletions_;
};

}  // namespace lethe
