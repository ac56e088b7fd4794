#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/double_double.h"
#include "engine/base/status.h"
#include "engine/base/types.h"
#include "engine/ports/state.h"
#include "engine/spec/constants.h"
#include "engine/spec/schedule.h"

namespace lethe {

// The influence ledger (docs/guarantee.md, section 3; it rests on OLU Lemmas 3 and 4). For every
// learned event u it knows an upper bound e_u on what u can still contribute to the distance
// between the model and the model of a world in which u was blank:
//
//   e_u = eta_u L when u is learned;   e <- c(eta) e at everyone else's step;
//   e <- c(eta) e + 2 G eta / n at a gradient step on the mean cost of n events, u among them.
//
// Nothing is stored per event. With l the log of the product of all contractions and A what the
// additive terms alone have come to, e_u = exp(l - l_u) (eta_u L - A_u) + A, and l_u and A_u are
// functions of the position in the stream. The ledger keeps a mark every few hundred steps and
// recomputes the step sizes in between. (The adaptive schedule is not a function of the position:
// its steps are kept.)
//
// All bounds are rounded up. A value type; not thread-safe.
class Ledger {
 public:
  // `terms` is the length of the longest sum in one step, for the round-off term.
  Ledger(const Constants& constants, const Schedule& schedule, std::int64_t terms);

  // A learn step of size eta was taken.
  void Step(double eta);

  // `count` gradient steps of size eta were taken on the mean cost of n retained events (n = 0:
  // the regulariser alone).
  void Descend(double eta, std::int64_t n, std::int64_t count);

  // The model was brought to within a distance of a point that is the same in every world: any
  // event learned so far contributes at most `influence`, and round-off starts anew.
  void Reset(double influence);

  // Steps taken so far; the index of the next learned event.
  std::int64_t steps() const { return steps_; }

  // e_u now. `u` must have been learned, and retained at every descent since.
  double Influence(EventIndex u) const;

  // The size of u's own step.
  double StepSize(EventIndex u) const;

  // l: the log of the product of all contractions so far. Differences of two are what counts.
  DoubleDouble Log() const;

  // F: how far apart rounding alone may have brought two worlds. Added to what a draw must
  // absorb, because exact arithmetic forgets down to 1e-80 while doubles stay an ulp apart.
  double RoundOff() const { return round_off_; }

  // Something besides a step rounded the model: by at most `distance` between two worlds.
  void AddRoundOff(double distance) { round_off_ += distance; }

  // The round-off of one operation on the whole model, between two worlds.
  double RoundOffOfOneOperation(double eta) const;

  // The round-off of one gradient step of size eta on a mean over n events, between two worlds.
  double RoundOffOfDescent(double eta, std::int64_t n) const;

  // The parts that grow with the stream: only what is new is written.
  void SaveGrown(State& state);
  Status LoadGrown(const State& state);

  // Everything else.
  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.steps_, self.product_, self.factors_, self.all_factors_, self.additive_,
            self.round_off_, self.floor_);
  }

 private:
  struct Mark {
    std::int64_t first = 0;  // the first step after the mark
    DoubleDouble log;        // l before that step
    double additive = 0;     // A before that step
  };
  struct Floor {
    std::int64_t steps = 0;  // events before this step
    DoubleDouble log;
    double influence = 0;

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.steps, self.log, self.influence);
    }
  };

  void SetMark();

  Constants constants_;
  Schedule schedule_;
  double unit_;  // (3 d + 40) 2^-53

  std::int64_t steps_ = 0;
  std::vector<Mark> marks_;
  double product_ = 1;            // of the contractions since the last mark
  std::int64_t factors_ = 0;      // how many those are
  std::int64_t all_factors_ = 0;  // since the beginning
  double additive_ = 0;           // A
  double round_off_ = 0;
  Floor floor_;
  std::vector<double> adaptive_steps_;
  std::size_t saved_marks_ = 0;
  std::size_t saved_steps_ = 0;  // of adaptive_steps_
};

}  // namespace lethe
