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

  Calibrator(const Spec& spec, const Constants& constants, const Promise& promise);

  // Measures the influence of an event at the moment its payload is released. From then on no
  // computation uses the event, so its influence only contracts.
  Held Hold(const Target& target, const OnlineRun& run) const;

  // Call after a descent on the retained events.
  void Reopen(const OnlineRun& run) { curve_.Reopen(run.ledger().steps()); }

  // The shift of the batch, the factor by which to shrink the model, and the sigma to draw
  // afterwards. Fails (kInput) if the split has spent all its shares, or if the share that is left
  // is too small for the grid.
  //
  // The factor is q/(q + d sigma^2), where sigma is what the draw would need without it and q is a
  // guess of |z|^2: of all factors it makes the model that is left nearest, on average, to the one
  // before the draw, if |z|^2 is q. It is a function of the configuration, the positions of events
  // and requests, and of nothing else; with q the true |z|^2 it would be a function of the data,
  // and no certificate would hold. It is 1, for no change, where sigma is small.
  Result<Forgetting> Calibrate(std::span<const Held> batch, const OnlineRun& run) const;

  // Records a draw for the batch. Call it after the model was shrunk, and before the draw itself
  // changes the run.
  void Drawn(std::span<const Held> batch, const Forgetting& forgetting, const OnlineRun& run);

  // Drops what the curve knows of events that entered up to step `steps`. From then on every draw
  // must absorb what such events can still contribute (OnlineRun::ExtraShift).
  void DropBefore(std::int64_t steps) { curve_.DropBefore(steps); }

  // A record for a request that names no event that is known: it adds no shift to the draw, which
  // absorbs what dropped events can contribute in any case.
  Held HoldUnknown(const std::optional<KeyHash>& subject, const OnlineRun& run) const;

  // A bound on the influence that the event still has, or will have after the model is shrunk.
  static double ShiftNow(const Held& held, const OnlineRun& run, double shrink = 1);

  // The sigma that covers `shift` at this rho with one draw, the run's rounding included. Infinite
  // if rho is too small for the grid.
  static double SigmaFor(double shift, double rho, const OnlineRun& run, double shrink = 1);

  // The guess of |z| of forgetting.shrink: auto: half of the radius within which every minimiser
  // lies.
  static double GuessOfNorm(const Spec& spec, const Constants& constants);

  std::int64_t draws() const { return draws_; }
  const Promise& promise() const { return promise_; }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.draws_, self.curve_);
  }

 private:
  ShiftNoiseCurve::Group GroupOf(const std::optional<KeyHash>& subject) const;
  Result<Forgetting> CalibrateAfter(double shrink, std::span<const Held> batch,
                                    const OnlineRun& run) const;
  double CurveSigma(std::span<const Held> batch, const OnlineRun& run, double shrink) const;
  double PaperSigma(std::span<const Held> batch, const OnlineRun& run) const;

  ForgettingSpec forgetting_;
  std::int64_t horizon_deletions_;
  Promise promise_;
  double norm_ = 0;  // the guess of |z|; 0: the model is not shrunk
  ShiftNoiseCurve curve_;
  std::int64_t draws_ = 0;
};

}  // namespace lethe
