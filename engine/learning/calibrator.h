#pragma once

#include <cstdint>
#include <span>

#include "engine/base/status.h"
#include "engine/learning/online_run.h"
#include "engine/ports/target.h"
#include "engine/privacy/curve.h"
#include "engine/spec/accountant.h"
#include "engine/spec/spec.h"

namespace lethe {

// Computes the noise that a batch of deletions needs, by the configured guarantee, split and
// calibration, and keeps the record of past draws. Not thread-safe. It owns copies of its settings;
// the run is borrowed for each call. After an error from Calibrate the calibrator is unchanged.
class Calibrator {
 public:
  // An event whose payload was released and which waits for its draw.
  struct Held {
    EventIndex index;
    ShiftNoiseCurve::Held on_curve;

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.index, self.on_curve);
    }
  };

  Calibrator(const Spec& spec, const Promise& promise);

  // Measures the influence of an event at the moment its payload is released. From then on no
  // computation uses the event, so its influence only contracts.
  Held Hold(const Target& target, const OnlineRun& run) const;

  // Call after a descent on the retained events.
  void Reopen(const OnlineRun& run) { curve_.Reopen(run.ledger().steps()); }

  // The shift of the batch and the sigma to draw for it now. Fails (kInput) if the split has spent
  // all its shares, or if the share that is left is too small for the grid.
  Result<Forgetting> Calibrate(std::span<const Held> batch, const OnlineRun& run) const;

  // Records a draw for the batch. Call it before the draw itself changes the run.
  void Drawn(std::span<const Held> batch, double sigma, const OnlineRun& run);

  // A bound on the influence that the event still has.
  static double ShiftNow(const Held& held, const OnlineRun& run);

  // The sigma that covers `shift` at this rho with one draw, the run's rounding included. Infinite
  // if rho is too small for the grid.
  static double SigmaFor(double shift, double rho, const OnlineRun& run);

  std::int64_t draws() const { return draws_; }
  const Promise& promise() const { return promise_; }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.draws_, self.curve_);
  }

 private:
  double CurveSigma(std::span<const Held> batch, const OnlineRun& run) const;
  double PaperSigma(std::span<const Held> batch, const OnlineRun& run) const;

  ForgettingSpec forgetting_;
  std::int64_t horizon_deletions_;
  Promise promise_;
  ShiftNoiseCurve curve_;
  std::int64_t draws_ = 0;
};

}  // namespace lethe
