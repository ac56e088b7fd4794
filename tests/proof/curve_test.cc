// The shift-noise curve against an independent solution: whatever the sizes of draws and shifts,
// and however many old draws were merged, the sigma that the curve asks for keeps the budget when
// the true minimum of section 4 is computed from the full record in extended precision.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <vector>

#include <gtest/gtest.h>

#include "engine/curve.h"
#include "tests/support/proof_random.h"

namespace lethe::proof {
namespace {

struct Entry {
  bool is_draw;
  long double amount;  // a draw's variance or an event's shift, as it is now
};

// The minimum of sum A_j^2 / (2 N_j) over all ways to absorb each shift by later draws. In order of
// time; pools neighbours while the later one is cheaper, so that nothing is ever subtracted.
long double TrueCost(const std::vector<Entry>& record) {
  struct Pool {
    long double shift, noise;
  };
  std::vector<Pool> pools;
  long double waiting = 0;
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
  long double cost = waiting > 0 ? INFINITY : 0;
  for (const Pool& pool : pools) cost += pool.shift * pool.shift / pool.noise / 2;
  return cost;
}

struct Event {
  std::int64_t step;
  double shift;
};

// One person's deletions among other people's draws, without contraction, as the curve sees them
// and in full.
class History {
 public:
  explicit History(std::size_t max_draws) : curve_(max_draws) {}

  void Draw(std::int64_t step, double sigma) {
    curve_.AddDraw(step, sigma * sigma, kNow);
    draws_.push_back({step, sigma});
  }

  void Delete(const Event& event) {
    curve_.AddShift(kPerson, event.step, event.shift, kNow);
    const auto later = [](const Event& a, const Event& b) { return a.step < b.step; };
    deleted_.insert(std::upper_bound(deleted_.begin(), deleted_.end(), event, later), event);
  }

  double LeastSigma(double rho) const {
    const ShiftNoiseCurve::Group groups[] = {kPerson};
    return curve_.LeastSigma(groups, rho, [](double) { return 0.0; }, kNow);
  }

  // The true cost if noise of this sigma were drawn now.
  double Cost(double last_sigma) const {
    std::vector<Entry> entries;
    std::size_t event = 0;
    for (const auto& [steps, sigma] : draws_) {
      while (event < deleted_.size() && deleted_[event].step <= steps) {
        entries.push_back({false, deleted_[event++].shift});
      }
      entries.push_back({true, static_cast<long double>(sigma) * sigma});
    }
    while (event < deleted_.size()) entries.push_back({false, deleted_[event++].shift});
    entries.push_back({true, static_cast<long double>(last_sigma) * last_sigma});
    return static_cast<double>(TrueCost(entries));
  }

  double LargestDraw() const {
    double largest = 0;
    for (const auto& [steps, sigma] : draws_) largest = std::max(largest, sigma);
    return largest;
  }

 private:
  static constexpr KeyHash kPerson{1, 1};
  static constexpr DoubleDouble kNow{};

  ShiftNoiseCurve curve_;
  std::vector<Event> deleted_;  // in the order in which they entered
  std::vector<std::pair<std::int64_t, double>> draws_;
};

struct Outcome {
  double worst = 0;   // the largest true cost / rho
  int wasteful = 0;   // draws that a smaller one could have replaced
};

// 400 random histories, with draws and shifts from 1 to `spread`.
Outcome RandomHistories(std::size_t max_draws, double spread) {
  Outcome outcome;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Dice dice(seed);
    const double rho = dice.LogUniform(0.01, 10);
    History history(max_draws);
    std::vector<Event> learned;
    for (std::int64_t step = 1; step <= 40; ++step) {
      learned.push_back({step, dice.LogUniform(1, spread)});
      if (dice.Chance(0.3)) history.Draw(step, dice.LogUniform(1, spread));
      if (!dice.Chance(0.3)) continue;
      const auto taken = learned.begin() + dice.Below(static_cast<std::int64_t>(learned.size()));
      history.Delete(*taken);
      learned.erase(taken);
      const double sigma = history.LeastSigma(rho);
      outcome.worst = std::max(outcome.worst, history.Cost(sigma) / rho);
      // Rounding against us asks for a millionth of the largest draw where nothing is needed.
      outcome.wasteful +=
          sigma > 1e-5 * history.LargestDraw() && history.Cost(0.999 * sigma) <= rho;
      history.Draw(step, sigma);
    }
  }
  std::cout << "[ curve    ] at most " << max_draws << " draws, sizes 1 to " << spread
            << ": true cost/rho - 1 = " << outcome.worst - 1 << " at most; " << outcome.wasteful
            << " wasteful" << std::endl;
  return outcome;
}

// What the comparison itself may lose: some dozens of roundings in long double.
constexpr double kSlack = 1e-15;

TEST(Curve, KeepsTheBudgetAndAsksForNoMore) {
  const Outcome outcome = RandomHistories(4096, 100);
  EXPECT_LE(outcome.worst, 1 + kSlack);
  EXPECT_EQ(outcome.wasteful, 0);
}

// Somebody's large batch is deleted first, a single event of somebody else afterwards.
TEST(Curve, KeepsTheBudgetNextToDrawsManyOrdersOfMagnitudeLarger) {
  EXPECT_LE(RandomHistories(4096, 1e9).worst, 1 + kSlack);
}

TEST(Curve, KeepsTheBudgetWhenOldDrawsWereMerged) {
  EXPECT_LE(RandomHistories(3, 100).worst, 1 + kSlack);
  EXPECT_LE(RandomHistories(6, 100).worst, 1 + kSlack);
}

}  // namespace
}  // namespace lethe::proof
