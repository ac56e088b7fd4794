// The shift-noise curve against an independent solution: whatever the sizes of draws and shifts,
// and however many old draws were merged, the sigma that the curve asks for keeps the budget when
// the true minimum of section 4 is computed from the full record in extended precision.
#include "engine/privacy/curve.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/proof_random.h"

namespace lethe::proof::curve_test {
namespace {

using Real = long double;

struct Entry {
  bool is_draw;
  Real amount;  // a draw's variance or an event's shift, as it is now
};

// The minimum of sum A_j^2 / (2 N_j) over all ways to absorb each shift by later draws. In order of
// time; pools neighbours while the later one is cheaper, so that nothing is ever subtracted.
Real TrueCost(const std::vector<Entry>& record) {
  struct Pool {
    Real shift, noise;
  };
  std::vector<Pool> pools;
  Real waiting = 0;
  for (const Entry& entry : record) {
    if (!entry.is_draw) {
      waiting += entry.amount;
      continue;
    }
    Pool last{waiting, entry.amount};
    waiting = 0;
    while (!pools.empty() && pools.back().shift * last.noise >= last.shift * pools.back().noise) {
      last = {last.shift + pools.back().shift, last.noise + pools.back().noise};
      pools.pop_back();
    }
    pools.push_back(last);
  }
  Real cost = waiting > 0 ? INFINITY : 0;
  for (const Pool& pool : pools) cost += pool.shift * pool.shift / pool.noise / 2;
  return cost;
}

struct Event {
  std::int64_t step;
  double shift;  // when it entered, and how much it was then
  Real log = 0;
};

// One person's deletions among other people's draws, as the curve sees them and in full. The log of
// all contractions is kept twice: the curve's own way, and in extended precision.
class History {
 public:
  explicit History(std::size_t max_draws) : curve_(max_draws) {}

  // A step with this log of its contraction.
  void Step(double log) {
    now_ = now_ + log;
    log_ += log;
  }

  Event Learn(std::int64_t step, double shift) const { return {step, shift, log_}; }

  void Draw(std::int64_t step, double sigma) {
    curve_.AddDraw(step, sigma * sigma, now_);
    draws_.push_back({step, sigma, log_});
  }

  void Delete(const Event& event) {
    curve_.AddShift(kPerson, event.step, static_cast<double>(Now(event.shift, event.log, 1)), now_);
    const auto before = [](const Event& a, const Event& b) { return a.step < b.step; };
    deleted_.insert(std::upper_bound(deleted_.begin(), deleted_.end(), event, before), event);
  }

  double LeastSigma(double rho) const {
    const ShiftNoiseCurve::Group groups[] = {kPerson};
    return curve_.LeastSigma(
        groups, rho, [](double) { return 0.0; }, now_);
  }

  // The true cost if noise of this sigma were drawn now.
  Real Cost(double last_sigma) const {
    std::vector<Entry> entries;
    std::size_t event = 0;
    const auto enter_until = [&](std::int64_t step) {
      for (; event < deleted_.size() && deleted_[event].step <= step; ++event) {
        entries.push_back({false, Now(deleted_[event].shift, deleted_[event].log, 1)});
      }
    };
    for (const auto& [step, sigma, log] : draws_) {
      enter_until(step);
      entries.push_back({true, Now(static_cast<Real>(sigma) * sigma, log, 2)});
    }
    enter_until(INT64_MAX);
    entries.push_back({true, static_cast<Real>(last_sigma) * last_sigma});
    return TrueCost(entries);
  }

  // The largest standard deviation that is in the model now.
  double LargestDraw() const {
    Real largest = 0;
    for (const auto& [step, sigma, log] : draws_) largest = std::max(largest, Now(sigma, log, 1));
    return static_cast<double>(largest);
  }

 private:
  static constexpr KeyHash kPerson{1, 1};

  struct Drawn {
    std::int64_t step;
    double sigma;
    Real log;
  };

  Real Now(Real amount, Real then, Real power) const {
    return amount * std::exp(power * (log_ - then));
  }

  ShiftNoiseCurve curve_;
  DoubleDouble now_;
  Real log_ = 0;
  std::vector<Event> deleted_;  // in the order in which they entered
  std::vector<Drawn> draws_;
};

struct Outcome {
  double worst = -1;  // the largest true cost / rho, less 1
  int wasteful = 0;   // draws that a smaller one could have replaced
};

// 400 random histories, with draws and shifts from 1 to `spread`, some of which fade.
Outcome RandomHistories(std::size_t max_draws, double spread) {
  Outcome outcome;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Dice dice(seed);
    const double rho = dice.LogUniform(0.01, 10);
    const double fading = dice.Chance(0.5) ? 0 : dice.LogUniform(1e-3, 3);
    History history(max_draws);
    std::vector<Event> learned;
    for (std::int64_t step = 1; step <= 40; ++step) {
      history.Step(-fading * dice.Uniform());
      learned.push_back(history.Learn(step, dice.LogUniform(1, spread)));
      if (dice.Chance(0.3)) history.Draw(step, dice.LogUniform(1, spread));
      if (!dice.Chance(0.3)) continue;
      const auto taken = learned.begin() + dice.Below(static_cast<std::int64_t>(learned.size()));
      history.Delete(*taken);
      learned.erase(taken);
      const double sigma = history.LeastSigma(rho);
      outcome.worst = std::max(outcome.worst, static_cast<double>(history.Cost(sigma) / rho - 1));
      // Rounding against us asks for a millionth of the largest draw where nothing is needed.
      outcome.wasteful +=
          sigma > 1e-5 * history.LargestDraw() && history.Cost(0.999 * sigma) <= rho;
      history.Draw(step, sigma);
    }
  }
  std::cout << "[ curve    ] at most " << max_draws << " draws, sizes 1 to " << spread
            << ": true cost/rho - 1 = " << outcome.worst << " at most; " << outcome.wasteful
            << " wasteful" << std::endl;
  return outcome;
}

TEST(Curve, KeepsTheBudgetAndAsksForNoMore) {
  const Outcome outcome = RandomHistories(4096, 100);
  EXPECT_LE(outcome.worst, 0);
  EXPECT_EQ(outcome.wasteful, 0);
}

// Somebody's large batch is deleted first, a single event of somebody else afterwards.
TEST(Curve, KeepsTheBudgetNextToDrawsManyOrdersOfMagnitudeLarger) {
  EXPECT_LE(RandomHistories(4096, 1e9).worst, 0);
}

TEST(Curve, KeepsTheBudgetWhenOldDrawsWereMerged) {
  EXPECT_LE(RandomHistories(3, 100).worst, 0);
  EXPECT_LE(RandomHistories(6, 100).worst, 0);
}

}  // namespace
}  // namespace lethe::proof::curve_test
