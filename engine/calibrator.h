#pragma once

#include <cstdint>
#include <span>

#include "engine/accountant.h"
#include "engine/curve.h"
#include "engine/modes/unlearner.h"
#include "engine/online_run.h"

namespace lethe {

// Decides how much noise a batch of deletions needs, by the configured guarantee, split and
// calibration, and remembers what was drawn. Not thread-safe.
class Calibrator {
 public:
  Calibrator(const Spec& spec, const Promise& promise);

  // The shift of the batch and the sigma to draw now. Fails (kInput) when the split has nothing
  // left to give. Call Drawn afterwards, exactly once.
  Result<Forgetting> Calibrate(std::span<const Target> batch, const OnlineRun& run);

  // The draw of the last Calibrate was made (or booked), on this run as it was then.
  void Drawn(double sigma, const OnlineRun& run);

  std::int64_t draws() const { return draws_; }
  const ShiftNoiseCurve& curve() const { return curve_; }

 private:
  double CurveSigma(std::span<const Target> batch, const OnlineRun& run);
  double PaperSigma(std::span<const Target> batch, const OnlineRun& run) const;

  ForgettingSpec forgetting_;
  std::int64_t horizon_deletions_;
  Promise promise_;
  ShiftNoiseCurve curve_;
  std::int64_t draws_ = 0;
};

}  // namespace lethe
