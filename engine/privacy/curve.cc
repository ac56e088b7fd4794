#include "engine/privacy/curve.h"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <limits>

#include "engine/base/check.h"
#include "engine/base/elementary.h"
#include "engine/privacy/hull.h"

namespace lethe {
namespace {

constexpr double kFadedNoise = 1e-290;  // draws of less variance are dropped
constexpr double kFadedShift = 1e-300;  // shifts below this are dropped
constexpr double kUp = 1 + 1e-12;       // covers the rounding of one evaluation

// Brings a quantity that was measured at `then` to the present: the contraction since then
// multiplies it, a shift (power 1) once and a variance (power 2) twice.
double Brought(double value, const DoubleDouble& then, const DoubleDouble& now, double power) {
  return value * elementary::Exp(power * std::min(now.Minus(then), 0.0));
}

}  // namespace

const ShiftNoiseCurve::Rows* ShiftNoiseCurve::Find(const Group& group) const {
  if (!group) return &passing_;
  const auto found = rows_.find(*group);
  return found == rows_.end() ? nullptr : &found->second;
}

ShiftNoiseCurve::Held ShiftNoiseCurve::Hold(const Group& group, std::int64_t entered, double shift,
                                            const DoubleDouble& now) const {
  LETHE_CHECK(shift >= 0 && std::isfinite(shift));
  const auto draw =
      std::lower_bound(draws_.begin(), draws_.end(), entered,
                       [](const Draw& d, std::int64_t step) { return d.steps < step; });
  std::int64_t sequence = draw == draws_.end() ? next_sequence_ : draw->sequence;
  if (entered <= reopened_steps_) sequence = std::max(sequence, reopened_sequence_);
  return {group, sequence, shift, now};
}

void ShiftNoiseCurve::Reopen(std::int64_t steps) {
  reopened_steps_ = steps;
  reopened_sequence_ = next_sequence_;
}

void ShiftNoiseCurve::Add(const Held& held, const DoubleDouble& now) {
  Rows& rows = held.group ? rows_[*held.group] : passing_;
  auto row = std::lower_bound(rows.begin(), rows.end(), held.sequence,
                              [](const Row& r, std::int64_t s) { return r.sequence < s; });
  if (row == rows.end() || row->sequence != held.sequence) {
    row = rows.insert(row, {held.sequence, now, 0});
  }
  // Bringing a shift to the present can only underflow; bringing it to the past could overflow.
  row->shift = Brought(row->shift, row->log, now, 1) + Brought(held.shift, held.log, now, 1);
  row->log = now;
}

std::size_t ShiftNoiseCurve::Column(std::int64_t sequence) const {
  const auto draw = std::lower_bound(draws_.begin(), draws_.end(), sequence,
                                     [](const Draw& d, std::int64_t s) { return d.sequence < s; });
  return static_cast<std::size_t>(draw - draws_.begin());
}

ShiftNoiseCurve::Columns ShiftNoiseCurve::BringToNow(std::span<const Group> groups,
                                                     const DoubleDouble& now) const {
  Columns columns;
  columns.noise.reserve(draws_.size());
  for (const Draw& draw : draws_) {
    columns.noise.push_back(Brought(draw.variance, draw.log, now, 2) / kUp);
  }
  columns.shift.assign(draws_.size() + 1, 0);
  for (const Group& group : groups) {
    const Rows* rows = Find(group);
    if (rows == nullptr) continue;
    for (const Row& row : *rows) {
      columns.shift[Column(row.sequence)] += Brought(row.shift, row.log, now, 1) * kUp;
    }
  }
  return columns;
}

ShiftNoiseCurve::Before ShiftNoiseCurve::BeforeDraw(std::span<const Group> groups,
                                                    const DoubleDouble& now,
                                                    std::span<const Held> held) const {
  Columns columns = BringToNow(groups, now);
  for (const Held& h : held) {
    columns.shift[Column(h.sequence)] += Brought(h.shift, h.log, now, 1) * kUp;
  }
  Before before{{}, columns.shift.back(), columns.shift.back()};
  for (std::size_t j = 0; j < columns.noise.size(); ++j) {
    before.hull.Add(columns.noise[j], columns.shift[j]);
    before.total += columns.shift[j];
  }
  return before;
}

// Bisection on sigma. The cost of the hull with a last point (sigma^2, shift) falls as sigma grows,
// because extra(sigma) grows slower than sigma. `high` starts at the sigma that covers all shift
// alone, is doubled until it is enough, and stays enough throughout, so the result is never too
// small. Up to 200 evaluations of the hull's last edges.
double ShiftNoiseCurve::LeastSigmaAfter(const Before& before, double rho, const ExtraShift& extra) {
  const auto enough = [&](double sigma) {
    return before.hull.CostWith(sigma * sigma, before.waiting + extra(sigma)) <= rho;
  };
  double high = (before.total + extra(0)) / std::sqrt(2 * rho);
  while (!enough(high)) {
    high *= 2;
    LETHE_CHECK(std::isfinite(high));
  }
  double low = 0;
  for (int i = 0; i < 200 && high - low > 1e-14 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (enough(middle) ? high : low) = middle;
  }
  return high * kUp;
}

double ShiftNoiseCurve::LeastSigma(std::span<const Group> groups, double rho,
                                   const ExtraShift& extra, const DoubleDouble& now,
                                   std::span<const Held> held) const {
  return LeastSigmaAfter(BeforeDraw(groups, now, held), rho, extra);
}

// Every sigma that is returned keeps the bound at `target` or `aim`, and neither exceeds rho, so
// the reserve needs no proof of its own. The proof of the diameter is in docs/guarantee.md.
double ShiftNoiseCurve::SigmaToDraw(std::span<const Group> groups, double rho, double diameter,
                                    const ExtraShift& extra, const DoubleDouble& now,
                                    std::span<const Held> held) const {
  const Before before = BeforeDraw(groups, now, held);
  const double aim = rho * (1 - kReserve);
  // What the earlier draws cost with the shifts that they can absorb, and one share of the reserve.
  const double small = before.hull.CostWith(0, 0) + rho * kReserve * kReserveShare;
  const double target = small <= rho ? std::max(aim, small) : aim;
  const double sigma = LeastSigmaAfter(before, target, extra);
  if (before.total <= diameter) return sigma;
  return std::min(sigma, LeastSigmaAfter({{}, diameter, diameter}, aim, extra));
}

void ShiftNoiseCurve::Cap(const Group& group, double diameter, double extra,
                          const DoubleDouble& now) {
  const auto found = group ? rows_.find(*group) : rows_.end();
  if (found == rows_.end() || draws_.empty()) return;
  const Draw& last = draws_.back();
  LETHE_CHECK(last.log == now);
  const Group one[] = {group};
  const double whole = LowerHull().CostWith(last.variance / kUp, (diameter + extra) * kUp);
  if (whole < Divergence(one, extra, now)) found->second = {{last.sequence, now, diameter}};
}

double ShiftNoiseCurve::Divergence(std::span<const Group> groups, double extra,
                                   const DoubleDouble& now) const {
  const Columns columns = BringToNow(groups, now);
  LowerHull hull;
  if (draws_.empty()) return hull.CostWith(0, columns.shift.back() + extra);
  const std::size_t last = columns.noise.size() - 1;
  for (std::size_t j = 0; j < last; ++j) hull.Add(columns.noise[j], columns.shift[j]);
  if (columns.shift.back() > 0) return std::numeric_limits<double>::infinity();
  return hull.CostWith(columns.noise[last], columns.shift[last] + extra);
}

void ShiftNoiseCurve::AddDraw(std::int64_t steps, double variance, const DoubleDouble& now) {
  LETHE_CHECK(draws_.empty() || draws_.back().steps <= steps);
  passing_.clear();
  DropFaded(now);
  if (variance > 0) draws_.push_back({next_sequence_++, steps, now, variance});
  if (draws_.size() > max_draws_) MergeOldDraws();
}

void ShiftNoiseCurve::DropBefore(std::int64_t steps) {
  const auto first = std::partition_point(draws_.begin(), draws_.end(),
                                          [&](const Draw& draw) { return draw.steps <= steps; });
  if (first == draws_.begin()) return;
  const std::int64_t last = std::prev(first)->sequence;
  for (auto& [group, rows] : rows_) {
    std::erase_if(rows, [&](const Row& row) { return row.sequence <= last; });
  }
  std::erase_if(rows_, [](const auto& entry) { return entry.second.empty(); });
  draws_.erase(draws_.begin(), first);
}

// Drops draws whose variance, and shifts whose size, has contracted below the range of useful
// doubles. A dropped draw can absorb nothing any more, so dropping it is safe.
void ShiftNoiseCurve::DropFaded(const DoubleDouble& now) {
  std::erase_if(draws_, [&](const Draw& draw) {
    return Brought(draw.variance, draw.log, now, 2) < kFadedNoise;
  });
  const auto faded = [&](const Row& row) {
    return Brought(row.shift, row.log, now, 1) < kFadedShift;
  };
  if (rows_.size() == 1) {
    std::erase_if(rows_.begin()->second, faded);
    CombineRows(rows_.begin()->second);
    return;
  }
  // With many subjects a sweep at every draw would take quadratic time in total, so the next sweep
  // waits until their number has doubled.
  if (rows_.size() < sweep_at_) return;
  for (auto& [group, rows] : rows_) std::erase_if(rows, faded);
  std::erase_if(rows_, [](const auto& entry) { return entry.second.empty(); });
  sweep_at_ = std::max<std::size_t>(1024, 2 * rows_.size());
}

// Merges pairs of neighbours j, j+1 in the older half into one draw at the time of j. Events that
// entered between the two may then use later draws only. That is a restriction, so it costs noise
// and never soundness. (At the time of j+1 instead, a shift could be absorbed by noise that was
// drawn before it entered.)
void ShiftNoiseCurve::MergeOldDraws() {
  std::vector<Draw> merged;
  const std::size_t old = draws_.size() / 2;
  for (std::size_t j = 0; j < draws_.size(); ++j) {
    const bool pair = j + 1 < old;
    Draw draw = draws_[j];
    if (pair) {
      const Draw& next = draws_[++j];
      draw.variance = Brought(draw.variance, draw.log, next.log, 2) / kUp + next.variance;
      draw.log = next.log;
    }
    merged.push_back(draw);
  }
  draws_ = std::move(merged);
  for (auto& [group, rows] : rows_) CombineRows(rows);
}

// Combines rows that have the same first draw into one, measured at the later of their times.
void ShiftNoiseCurve::CombineRows(Rows& rows) const {
  Rows combined;
  for (Row row : rows) {
    const std::size_t column = Column(row.sequence);
    row.sequence = column == draws_.size() ? next_sequence_ : draws_[column].sequence;
    if (combined.empty() || combined.back().sequence != row.sequence) {
      combined.push_back(row);
      continue;
    }
    Row& into = combined.back();
    const DoubleDouble& later = into.log.Minus(row.log) < 0 ? into.log : row.log;
    into.shift = (Brought(into.shift, into.log, later, 1) + Brought(row.shift, row.log, later, 1)) *
                 (1 + 4 * DBL_EPSILON);
    into.log = later;
  }
  rows = std::move(combined);
}

}  // namespace lethe
