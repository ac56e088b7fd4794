#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/base/double_double.h"
#include "engine/base/types.h"
#include "engine/privacy/hull.h"

namespace lethe {

// The shift-noise curve (docs/guarantee.md, section 4): the accountant that decides which noise
// draws cover which deleted events.
//
// A shift may be absorbed by any draw made after it entered the run, in any split. With every
// quantity brought to the present by the contraction since, let N_j be the variance of draw j and
// S_j the shift that entered before draw j and after draw j-1. The divergence between the two
// worlds is at most the minimum of sum A_j^2/(2 N_j) over all ways to absorb, A_1 + ... + A_j <=
// S_1 + ... + S_j, equal at the last. That minimum is read off the lower convex hull of the
// cumulated points (N, S): each edge costs rise * rise / run / 2.
//
// Shifts are kept in groups. The joint guarantee uses one group for all people; per_request uses
// one for each subject. Every argument `now` is the present Ledger::Log(). All results are rounded
// to the safe side. A value type; not thread-safe. No operation fails; a non-finite shift is a
// programming error and ends the process.
class ShiftNoiseCurve {
 public:
  // Shift that only the next draw can absorb, as a function of that draw's sigma.
  using ExtraShift = std::function<double(double sigma)>;
  // nullopt: the shift counts for the next draw alone and is dropped afterwards.
  using Group = std::optional<KeyHash>;

  // The shift of an event that is to be deleted, as it was when its payload was released.
  struct Held {
    Group group;
    std::int64_t sequence = 0;  // the first draw that may absorb it
    double shift = 0;
    DoubleDouble log;  // the value of `now` at which `shift` was measured

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.group, self.sequence, self.shift, self.log);
    }
  };

  // With more than `max_draws` draws, old ones are merged, which costs noise and never soundness.
  explicit ShiftNoiseCurve(std::size_t max_draws = 4096) : max_draws_(max_draws) {}

  // The record of an event whose influence is `shift` now and which entered the run at step number
  // `entered` = 1, 2, ...  The curve does not change until Add.
  Held Hold(const Group& group, std::int64_t entered, double shift, const DoubleDouble& now) const;

  // Notes that a descent has used every retained event up to step `steps`. These events count as
  // entered now, so that earlier draws cannot absorb their shift.
  void Reopen(std::int64_t steps);

  // Adds the shift of a deleted event to its group.
  void Add(const Held& held, const DoubleDouble& now);
  void AddShift(const Group& group, std::int64_t entered, double shift, const DoubleDouble& now) {
    Add(Hold(group, entered, shift, now), now);
  }

  // The least sigma, rounded up, of a draw now for which the divergence of these groups together,
  // with `held` included, is at most rho. The curve does not change.
  double LeastSigma(std::span<const Group> groups, double rho, const ExtraShift& extra,
                    const DoubleDouble& now, std::span<const Held> held = {}) const;

  // The sigma, rounded up, of a draw now that keeps the divergence of these groups together, with
  // `held` included, at rho or below. It is LeastSigma but for two savings:
  //
  // Reserve. A draw that uses rho to the last bit makes the next tiny shift e expensive: its
  // variance would have to be 2 e/S of that of the earlier draws, however small e is in itself. So
  // a draw aims at rho (1 - kReserve). Later small draws may use the rest, each kReserveShare of
  // it, and when it is used up the next draw restores it.
  //
  // Diameter. Two models are never further apart than `diameter`, whatever was learned. A draw that
  // absorbs this distance alone is enough, and it is taken if it is the smaller one. Call Cap after
  // the draw.
  double SigmaToDraw(std::span<const Group> groups, double rho, double diameter,
                     const ExtraShift& extra, const DoubleDouble& now,
                     std::span<const Held> held = {}) const;

  // Adds a noise draw of this variance, made after `steps` learn steps.
  void AddDraw(std::int64_t steps, double variance, const DoubleDouble& now);

  // Call it after AddDraw, at the same `now`, for every group of the batch, with the extra shift
  // that the draw absorbed. If the last draw absorbs the diameter at less cost than all draws
  // absorb the shifts of the group, one row of the size of the diameter replaces the rows of the
  // group.
  void Cap(const Group& group, double diameter, double extra, const DoubleDouble& now);

  // Drops the draws that were made up to step `steps`, and the shifts that they were the first to
  // absorb. All of these shifts entered up to that step, so the caller must add what such events
  // can still contribute to what every later draw absorbs. A draw before them can absorb no other.
  void DropBefore(std::int64_t steps);

  // A bound on the divergence of these groups with the draws made so far, where `extra` is absorbed
  // by the last draw. Infinite if a shift has no draw after it.
  double Divergence(std::span<const Group> groups, double extra, const DoubleDouble& now) const;

  // The part of rho that a draw leaves to later small ones, and the part of that for each of them.
  static constexpr double kReserve = 1e-3;
  static constexpr double kReserveShare = 1.0 / 64;

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
    std::int64_t steps;     // the draw can absorb events that entered up to this step
    DoubleDouble log;       // the value of `now` at which `variance` was measured
    double variance;

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.sequence, self.steps, self.log, self.variance);
    }
  };
  // The sum of shifts that draw `sequence` is the first to absorb. If that draw is gone, the next
  // one takes its place.
  struct Row {
    std::int64_t sequence;
    DoubleDouble log;  // the value of `now` at which `shift` was measured
    double shift;

    template <typename Self, typename Archive>
    static void Fields(Self& self, Archive& archive) {
      archive(self.sequence, self.log, self.shift);
    }
  };
  using Rows = std::vector<Row>;  // in order of sequence

  struct Columns {
    std::vector<double> noise;  // N_j of each draw, now
    std::vector<double> shift;  // S_j of each draw, now; last, the shift that waits for a draw
  };

  // The draws made so far with the shifts that they can absorb, and the shifts that cannot be
  // absorbed but by the next draw.
  struct Before {
    LowerHull hull;
    double waiting = 0;
    double total = 0;  // all shifts together, the waiting ones included
  };

  const Rows* Find(const Group& group) const;
  Before BeforeDraw(std::span<const Group> groups, const DoubleDouble& now,
                    std::span<const Held> held) const;
  static double LeastSigmaAfter(const Before& before, double rho, const ExtraShift& extra);
  std::size_t Column(std::int64_t sequence) const;
  Columns BringToNow(std::span<const Group> groups, const DoubleDouble& now) const;
  void DropFaded(const DoubleDouble& now);
  void MergeOldDraws();
  void CombineRows(Rows& rows) const;

  std::size_t max_draws_;
  std::vector<Draw> draws_;
  std::int64_t next_sequence_ = 0;
  // Events that entered up to step reopened_steps_ may use draws from reopened_sequence_ on only.
  std::int64_t reopened_steps_ = 0;
  std::int64_t reopened_sequence_ = 0;
  std::unordered_map<KeyHash, Rows> rows_;
  Rows passing_;                 // shifts without a group
  std::size_t sweep_at_ = 1024;  // DropFaded sweeps all groups when there are this many
};

}  // namespace lethe
