#include "engine/privacy/ledger.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "engine/base/check.h"
#include "engine/base/elementary.h"
#include "engine/spec/mean_rounding.h"

namespace lethe {
namespace {

constexpr std::int64_t kStepsPerMark = 256;
constexpr double kSmallProduct = 1e-100;  // a mark is set before the product can underflow
constexpr double kUp = 1 + 4 * DBL_EPSILON;

// A bound on the error of log(product) when `factors` factors were multiplied.
double LogError(double log, std::int64_t factors) {
  return (2 * static_cast<double>(factors) + 4 + 2 * std::abs(log)) * DBL_EPSILON;
}

// Saves a vector of plain values as its bytes in memory. After the first time only the values from
// `saved` on are written.
template <typename T>
void Save(State& state, Part part, const std::vector<T>& values, std::size_t& saved) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) % sizeof(double) == 0);
  const auto bytes = [&](std::size_t from) {
    return std::string_view(reinterpret_cast<const char*>(values.data() + from),
                            (values.size() - from) * sizeof(T));
  };
  if (saved == 0) {
    state.Put(part, bytes(0));
  } else if (saved < values.size()) {
    state.Extend(part, bytes(saved));
  }
  saved = values.size();
}

template <typename T>
bool Load(const State& state, Part part, std::vector<T>& values, std::size_t& saved) {
  const auto bytes = state.Get(part);
  if (!bytes || bytes->size() % sizeof(T) != 0) return false;
  values.resize(bytes->size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes->data(), bytes->size());
  saved = values.size();
  return true;
}

}  // namespace

Ledger::Ledger(const Constants& constants, const Schedule& schedule, std::int64_t terms,
               Account account)
    : account_(account),
      constants_(constants),
      schedule_(schedule),
      unit_((3 * static_cast<double>(terms) + 40) * 0x1p-53),
      marks_{{0, {}, 0}} {}

double Ledger::RoundOffOfOneOperation(double eta) const {
  return 2 * unit_ * (constants_.radius + eta * constants_.L);
}

void Ledger::SetMark() {
  const DoubleDouble log = Log();
  marks_.push_back({steps_, log, additive_});
  product_ = 1;
  all_factors_ += factors_;
  factors_ = 0;
}

void Ledger::Book(double eta) {
  const double c = Contraction(constants_, eta);
  product_ *= c;
  ++factors_;
  additive_ *= c;
  // A step of size 0 stands for an event that waits: nothing is computed, so nothing is rounded.
  round_off_ = c * round_off_ + (eta == 0 ? 0 : RoundOffOfOneOperation(eta));
  ++steps_;
  if (!schedule_.is_public()) adaptive_steps_.push_back(eta);
  if (steps_ - marks_.back().first == kStepsPerMark || product_ < kSmallProduct) SetMark();
}

double Ledger::RoundOffOfDescent(double eta, std::int64_t n) const {
  return RoundOffOfOneOperation(eta) + 2 * eta *
                                           (MeanRoundingDepth(n) * 0x1p-53 * constants_.L +
                                            unit_ * constants_.beta * constants_.radius);
}

void Ledger::Descend(double eta, std::int64_t n, std::int64_t count) {
  const double c = Contraction(constants_, eta);
  const double pull = n == 0 ? 0 : 2 * constants_.G * eta / static_cast<double>(n) * kUp;
  const double rounding = RoundOffOfDescent(eta, n);
  for (std::int64_t i = 0; i < count; ++i) {
    product_ *= c;
    ++factors_;
    additive_ = (c * additive_ + pull) * kUp;
    round_off_ = c * round_off_ + rounding;
    if (product_ < kSmallProduct) SetMark();
  }
  SetMark();
}

void Ledger::Reset(double influence) {
  round_off_ = 0;
  additive_ = 0;
  SetMark();
  floor_ = {steps_, marks_.back().log, influence};
}

// log(factor) is rounded up. Log() adds the error of an empty product to the new mark.
DoubleDouble Ledger::LogAfter(double shrink) const {
  if (shrink == 1) return Log();
  const double log = elementary::Log(shrink);
  return Log() + (log + LogError(log, 1)) + LogError(0, 0);
}

double Ledger::RoundOffAfter(double shrink) const {
  return shrink == 1 ? round_off_ : shrink * round_off_ + RoundOffOfOneOperation(0);
}

void Ledger::Shrink(double factor) {
  LETHE_CHECK(factor > 0 && factor < 1);
  const double log = elementary::Log(factor);
  const DoubleDouble after = Log() + (log + LogError(log, 1));
  additive_ = factor * additive_ * kUp;
  round_off_ = RoundOffAfter(factor);
  ++factors_;
  SetMark();
  marks_.back().log = after;
}

std::int64_t Ledger::FadedBefore(double log, std::int64_t keep) const {
  const DoubleDouble now = Log();
  const auto is_faded = [&](const Mark& mark) {
    return mark.first <= steps_ - keep && now.Minus(mark.log) <= log;
  };
  const auto after = std::partition_point(marks_.begin(), marks_.end(), is_faded);
  return after == marks_.begin() ? first() : std::prev(after)->first;
}

void Ledger::DropBefore(std::int64_t first) {
  const auto after =
      std::upper_bound(marks_.begin(), marks_.end(), first,
                       [](std::int64_t index, const Mark& mark) { return index < mark.first; });
  LETHE_CHECK(std::prev(after)->first == first && schedule_.is_public());
  if (std::prev(after) == marks_.begin()) return;
  marks_.erase(marks_.begin(), std::prev(after));
  saved_marks_ = 0;  // so the next SaveGrown writes all of them
}

// At first() two models are at most 2r apart, and for constant steps at most the sum of all pushes
// (docs/guarantee.md, "Bounded memory").
double Ledger::DroppedInfluence(double shrink) const {
  if (first() == 0) return 0;
  double apart = constants_.diameter();
  if (schedule_.kind() == ScheduleKind::kConstant || schedule_.kind() == ScheduleKind::kHorizon) {
    const double eta = schedule_.Step(1);
    const double gap = 1 - Contraction(constants_, eta);
    if (gap > 0) apart = std::min(apart, eta * push() / gap * (1 + 1e-12));
  }
  const double log = std::min(LogAfter(shrink).Minus(marks_.front().log), 0.0);
  return apart * elementary::Exp(log) * (1 + 1e-12);
}

void Ledger::SaveGrown(State& state) {
  if (account_ == Account::kStepsOnly) return;
  Save(state, Part::kMarks, marks_, saved_marks_);
  if (!schedule_.is_public()) Save(state, Part::kAdaptiveSteps, adaptive_steps_, saved_steps_);
}

Status Ledger::LoadGrown(const State& state) {
  if (account_ == Account::kStepsOnly) return Status::Ok();
  const bool has_marks = Load(state, Part::kMarks, marks_, saved_marks_) && !marks_.empty() &&
                         marks_.front().first >= 0 && marks_.back().first <= steps_;
  const bool has_steps =
      schedule_.is_public() || (Load(state, Part::kAdaptiveSteps, adaptive_steps_, saved_steps_) &&
                                adaptive_steps_.size() == static_cast<std::size_t>(steps_));
  if (has_marks && has_steps) return Status::Ok();
  return {ErrorCode::kInput, "the stored ledger does not fit the stored model"};
}

DoubleDouble Ledger::Log() const {
  const double log = elementary::Log(product_);
  return marks_.back().log + (log + LogError(log, factors_));
}

double Ledger::StepSize(EventIndex u) const {
  LETHE_CHECK(account_ == Account::kInfluence);
  LETHE_CHECK(u.value >= 0 && u.value < steps_);
  return schedule_.is_public() ? schedule_.Step(u.value + 1)
                               : adaptive_steps_[static_cast<std::size_t>(u.value)];
}

// Finds the last mark at or before u and multiplies the contractions from there up to and including
// u's own step, which gives l_u; A_u contracts by the same product. Then e_u follows from the
// formula in the header, with every rounding taken to the safe side. Events before the last Reset
// have the bound of the floor instead.
double Ledger::Influence(EventIndex u) const {
  LETHE_CHECK(u.value >= 0 && u.value < steps_);
  if (u.value < floor_.steps) {
    return elementary::Exp(std::min(Log().Minus(floor_.log), 0.0)) * floor_.influence * kUp +
           additive_;
  }
  const auto after =
      std::upper_bound(marks_.begin(), marks_.end(), u.value,
                       [](std::int64_t index, const Mark& mark) { return index < mark.first; });
  const Mark& mark = *std::prev(after);
  double product = 1;
  for (std::int64_t i = mark.first; i <= u.value; ++i) {
    product *= Contraction(constants_, StepSize({i}));
  }
  // l_u is subtracted, so it is rounded down.
  const double log = elementary::Log(product);
  const DoubleDouble at_u = mark.log + (log - LogError(log, u.value + 1 - mark.first));
  const double exponent = std::min(Log().Minus(at_u), 0.0);
  const double own = StepSize(u) * push() * kUp - mark.additive * product / kUp;
  if (own >= 0) return (elementary::Exp(exponent) * own * kUp + additive_) * kUp;
  // A negative `own` lowers the bound, so here the exponential must not be too large: subtract all
  // rounding that its exponent can contain.
  const auto blocks = static_cast<double>(marks_.end() - after + 2);
  const auto factors = static_cast<double>(all_factors_ + factors_);
  const double slack = 2 * (2 * factors + 4 * blocks + 4 * std::abs(exponent) + 16) * DBL_EPSILON;
  return (elementary::Exp(exponent - slack) * own / kUp + additive_) * kUp;
}

}  // namespace lethe
