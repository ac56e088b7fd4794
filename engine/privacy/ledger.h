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
//   e <- c(eta) e + 2 G eta / n at a gradient step on the mean cost of n events, u among them;
//   e <- a e when the model is multiplied by a public factor a.
//
// If the blank of the other world is a step on the regulariser alone, both worlds contract, and the
// step differs by the gradient of the loss only: e_u = eta_u G. See Blank.
//
// The ledger stores nothing per event. Let l be the log of the product of all contractions, and A
// the present value of the additive terms alone. Then e_u = exp(l - l_u) (eta_u L - A_u) + A, where
// l_u and A_u are functions of the position in the stream. The ledger keeps a mark every few
// hundred steps and recomputes the step sizes in between. (The steps of the adaptive schedule are
// not a function of the position, so they are stored.)
//
// All bounds are rounded up. A value type; not thread-safe. Only LoadGrown can fail; an index that
// was never learned is a programming error and ends the process.
class Ledger {
 public:
  // What a ledger accounts for. A mode that forgets exactly needs no influence: its ledger counts
  // the steps and does nothing else, so that it costs nothing and does not grow.
  enum class Account { kInfluence, kStepsOnly };

  // What the reference world does at the position of a deleted event: nothing, or a step on the
  // regulariser alone. A state keeps one definition.
  enum class Blank { kNoStep, kRegulariser };

  // `terms` is the length of the longest sum in one step; it determines the round-off term.
  Ledger(const Constants& constants, const Schedule& schedule, std::int64_t terms,
         Account account = Account::kInfluence);

  // Accounts for a learn step of size eta.
  void Step(double eta) {
    if (account_ == Account::kStepsOnly) {
      ++steps_;
    } else {
      Book(eta);
    }
  }

  // Accounts for `count` gradient steps of size eta on the mean cost of n retained events (n = 0:
  // on the regulariser alone).
  void Descend(double eta, std::int64_t n, std::int64_t count);

  // Accounts for moving the model near a point that is the same in every world: every event learned
  // so far now contributes at most `influence`, and the round-off is zero.
  void Reset(double influence);

  // Accounts for multiplying the model by a factor 0 < factor < 1 that is no function of the data.
  void Shrink(double factor);

  Account account() const { return account_; }
  void SetBlank(Blank blank) { blank_ = blank; }
  Blank blank() const { return blank_; }

  // The last mark that lies at least `keep` steps back and since which the logarithm of all
  // contractions is `log` or less; first() if there is none. O(log of the number of marks).
  std::int64_t FadedBefore(double log, std::int64_t keep) const;
  // Drops the marks before the one at `first`, which must be a mark. Influence may then no longer
  // be called for events before `first`.
  void DropBefore(std::int64_t first);
  // The first event of which the ledger knows the influence. It only grows.
  std::int64_t first() const { return marks_.front().first; }
  // T: a bound on what all events before first() together can still contribute
  // (engine/privacy/horizon.h); 0 if nothing was dropped.
  double DroppedInfluence(double shrink = 1) const;

  // Steps taken so far; the index of the next learned event.
  std::int64_t steps() const { return steps_; }

  // The bound e_u now. `u` must have been learned, and retained at every descent since. Costs at
  // most as many operations as there are steps between two marks.
  double Influence(EventIndex u) const;

  // The size of u's own step.
  double StepSize(EventIndex u) const;

  // l, the log of the product of all contractions so far. Only differences of two have a meaning.
  DoubleDouble Log() const;
  // What Log() will be after Shrink(shrink), to the bit.
  DoubleDouble LogAfter(double shrink) const;

  // F, the distance between two worlds that rounding alone may have caused. A draw must absorb it
  // too: in exact arithmetic an influence fades to 1e-80, while doubles stay an ulp apart.
  double RoundOff() const { return round_off_; }
  // What RoundOff() will be after Shrink(shrink).
  double RoundOffAfter(double shrink) const;

  // Accounts for another rounding of the model, of at most `distance` between two worlds.
  void AddRoundOff(double distance) { round_off_ += distance; }

  // The round-off of one operation on the whole model, between two worlds.
  double RoundOffOfOneOperation(double eta) const;

  // The round-off of one gradient step of size eta on a mean over n events, between two worlds.
  double RoundOffOfDescent(double eta, std::int64_t n) const;

  // Saves the marks and steps, which grow with the stream; only new ones are written. LoadGrown
  // fails (kInput) if the stored ones do not fit the fields below, which must be loaded before.
  void SaveGrown(State& state);
  Status LoadGrown(const State& state);

  // The fields of fixed size.
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
  // The bound that the last Reset set.
  struct Floor {
    std::int64_t steps = 0;  // it holds for events before this step
    DoubleDouble log;
    double influence = 0;

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.steps, self.log, self.influence);
    }
  };

  void Book(double eta);
  void SetMark();
  // The norm of the part of a step that the reference world does not take, divided by eta.
  double push() const { return blank_ == Blank::kRegulariser ? constants_.G : constants_.L; }

  Account account_;
  Blank blank_ = Blank::kNoStep;
  Constants constants_;
  Schedule schedule_;
  double unit_;  // (3 d + 40) 2^-53 with d = terms

  std::int64_t steps_ = 0;
  std::vector<Mark> marks_;
  double product_ = 1;            // of the contractions since the last mark
  std::int64_t factors_ = 0;      // the number of contractions since the last mark
  std::int64_t all_factors_ = 0;  // the number of contractions before the last mark
  double additive_ = 0;           // A
  double round_off_ = 0;
  Floor floor_;
  std::vector<double> adaptive_steps_;
  std::size_t saved_marks_ = 0;
  std::size_t saved_steps_ = 0;  // of adaptive_steps_
};

}  // namespace lethe
