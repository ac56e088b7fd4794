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

// Decides how much noise a batch of deletions needs, by the configured guarantee, split and
// calibration, and remembers what was drawn. Not thread-safe.
class Calibrator {
 public:
  // An event that has left the retained ones and waits for its draw.
  struct Held {
    EventIndex index;
    ShiftNoiseCurve::Held on_curve;

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.index, self.on_curve);
    }
  };

  Calibrator(const Spec& spec, const Promise& promise);

  // The event leaves the retained ones now; from here on its influence only shrinks.
  Held Hold(const Target& target, const OnlineRun& run) const;

  // A descent on the retained events was made.
  void Reopen(const OnlineRun& run) { curve_.Reopen(run.ledger().steps()); }

  // The shift of the batch and the sigma to draw for it now. Fails (kInput) when the split has
  // nothing left to give.
  Result<Forgetting> Calibrate(std::span<const Held> batch, const OnlineRun& run) const;

  // The draw for the batch was made (or booked) on this run.
  void Drawn(std::span<const Held> batch, double sigma, const OnlineRun& run);

  // What the event can still contribute to the distance between the worlds.
  static double ShiftNow(const Held& held, const OnlineRun& run);

  // The sigma that covers `shift` alone at this rho, with the run's rounding on top.
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
