#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/base/double_double.h"
#include "engine/base/types.h"

namespace lethe {

// The shift-noise curve (docs/guarantee.md, section 4): which noise covers which deleted event.
//
// A shift may be absorbed by any draw made after it entered the run, in any split. With every
// quantity brought to the present by the contraction since, let N_j be the variance of draw j and
// S_j the shift that entered before draw j and after draw j-1. The divergence between the two
// worlds is at most the minimum of sum A_j^2/(2 N_j) over all ways to absorb, A_1 + ... + A_j <=
// S_1 + ... + S_j, equal at the last. That minimum is read off the lower convex hull of the
// cumulated points (N, S): each edge costs rise * rise / run / 2.
//
// Shifts are kept in groups. The joint guarantee uses one group for everybody; per_request one for
// each subject. A value type; not thread-safe. "now" is the ledger's Log().
class ShiftNoiseCurve {
 public:
  // Shift that only the next draw can absorb, as a function of that draw's sigma.
  using ExtraShift = std::function<double(double sigma)>;
  // None: the shift counts for the next draw alone and is dropped afterwards.
  using Group = std::optional<KeyHash>;

  // The shift of an event that is to be deleted, as it was when it left the retained ones.
  struct Held {
    Group group;
    std::int64_t sequence = 0;  // the first draw that may absorb it
    double shift = 0;
    DoubleDouble log;  // where `shift` is measured

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.group, self.sequence, self.shift, self.log);
    }
  };

  explicit ShiftNoiseCurve(std::size_t max_draws = 4096) : max_draws_(max_draws) {}

  // An event whose influence is `shift` now and which entered with step number `entered` = 1, 2,
  // ...
  Held Hold(const Group& group, std::int64_t entered, double shift, const DoubleDouble& now) const;

  // Every retained event up to step `steps` entered again: a descent has touched it.
  void Reopen(std::int64_t steps);

  // Counts a deleted event in from now on.
  void Add(const Held& held, const DoubleDouble& now);
  void AddShift(const Group& group, std::int64_t entered, double shift, const DoubleDouble& now) {
    Add(Hold(group, entered, shift, now), now);
  }

  // The least sigma of a draw made now for which the divergence of these groups, with `held`
  // counted in, is at most rho, rounded up.
  double LeastSigma(std::span<const Group> groups, double rho, const ExtraShift& extra,
                    const DoubleDouble& now, std::span<const Held> held = {}) const;

  // Noise of this variance was drawn after `steps` steps.
  void AddDraw(std::int64_t steps, double variance, const DoubleDouble& now);

  // The bound on the divergence of these groups with the draws made so far, `extra` being absorbed
  // by the last of them. Infinite when a shift has no draw after it.
  double Divergence(std::span<const Group> groups, double extra, const DoubleDouble& now) const;

  std::size_t draws() const { return draws_.size(); }
  std::size_t groups() const { return rows_.size(); }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.draws_, self.next_sequence_, self.reopened_steps_, self.reopened_sequence_,
            self.rows_, self.passing_, self.sweep_at_);
  }

 private:
  struct Draw {
    std::int64_t sequence;  // running number; a gap is a draw that was merged or dropped
    std::int64_t steps;     // it covers what entered up to this step
    DoubleDouble log;       // where `variance` is measured
    double variance;

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.sequence, self.steps, self.log, self.variance);
    }
  };
  // Shift whose first draw was `sequence`. If that draw is gone, the next one takes its place.
  struct Row {
    std::int64_t sequence;
    DoubleDouble log;  // where `shift` is measured
    double shift;

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.sequence, self.log, self.shift);
    }
  };
  using Rows = std::vector<Row>;  // in order of sequence

  struct Columns {
    std::vector<double> noise;  // N_j of each draw, now
    std::vector<double> shift;  // S_j of each draw, and of what waits for the next, now
  };

  const Rows* Find(const Group& group) const;
  std::size_t Column(std::int64_t sequence) const;
  Columns BringToNow(std::span<const Group> groups, const DoubleDouble& now) const;
  void DropFaded(const DoubleDouble& now);
  void MergeOldDraws();
  void CombineRows(Rows& rows) const;

  std::size_t max_draws_;
  std::vector<Draw> draws_;
  std::int64_t next_sequence_ = 0;
  std::int64_t reopened_steps_ = 0;     // what entered up to here may use draws
  std::int64_t reopened_sequence_ = 0;  // from this one on
  std::unordered_map<KeyHash, Rows> rows_;
  Rows passing_;  // shifts without a group
  std::size_t sweep_at_ = 1024;
};

}  // namespace lethe
