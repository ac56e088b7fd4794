#pragma once

#include <functional>
#include <map>
#include <ostream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "engine/modes/papers/fats_run.h"
#include "engine/spec/spec.h"
#include "state/payloads/memory_payloads.h"
#include "tests/support/mode_fixture.h"

// The law of everything that a FATS run keeps, by exhaustive enumeration, in integers.
namespace lethe::testing {

// A probability as an exact fraction.
struct Fraction {
  __int128 top = 0;
  __int128 bottom = 1;

  void Add(Fraction other, int sign = 1) {
    top = top * other.bottom + sign * other.top * bottom;
    bottom *= other.bottom;
    __int128 a = top < 0 ? -top : top, b = bottom;
    while (b != 0) std::swap(a %= b, b);
    if (a > 1) top /= a, bottom /= a;
  }
  Fraction Times(Fraction other) const {
    Fraction product;
    product.Add({top * other.top, bottom * other.bottom});
    return product;
  }
  bool Is(std::int64_t a, std::int64_t b) const { return top == a && bottom == b; }
  double value() const { return static_cast<double>(top) / static_cast<double>(bottom); }
};

// Goes through every sequence of choices, one by one.
class AllChoices final : public FatsChoices {
 public:
  std::int64_t Below(std::int64_t n) override {
    if (at_ == path_.size()) path_.push_back({0, n});
    EXPECT_EQ(path_[at_].second, n);
    return path_[at_++].first;
  }
  // The probability of the choices made since the last call.
  Fraction Probability() const {
    Fraction p{1, 1};
    for (const auto& [value, n] : path_) p.bottom *= n;
    return p;
  }
  bool Next() {
    at_ = 0;
    while (!path_.empty() && ++path_.back().first == path_.back().second) path_.pop_back();
    return !path_.empty();
  }

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> path_;
  std::size_t at_ = 0;
};

using History = std::vector<std::int64_t>;
using Law = std::map<History, Fraction>;

// One instance: rounds after these numbers of learn events, then requests, each of several events.
struct Instance {
  const char* name;
  FatsSpec spec;
  std::vector<std::int64_t> rounds;
  std::int64_t events;
  std::vector<std::vector<std::int64_t>> requests;
};

inline void PrintTo(const Instance& instance, std::ostream* out) { *out << instance.name; }

// How a deletion is served; the repaired rule, or another one.
using Rule = std::function<void(FatsRun&, const std::vector<std::int64_t>&, FatsChoices&)>;

inline void Repaired(FatsRun& run, const std::vector<std::int64_t>& deleted, FatsChoices& choices) {
  run.Delete(deleted, choices);
}

// The law of everything that the run keeps. In the reference world the deleted events are blank.
inline Law LawOf(const Instance& instance, bool is_reference, const Rule& rule) {
  const Constants constants = PlainLogistic(0.05, 20);
  std::vector<bool> blank(static_cast<std::size_t>(instance.events), false);
  for (const auto& request : instance.requests) {
    for (const std::int64_t index : request) blank[static_cast<std::size_t>(index)] = is_reference;
  }
  Law law;
  AllChoices choices;
  do {
    MemoryPayloads payloads;
    FatsRun run(instance.spec, Loss(LossKind::kLogistic), constants, 0.5, 1, payloads);
    std::int64_t learned = 0;
    for (const std::int64_t end : instance.rounds) {
      for (; learned < end; ++learned) {
        if (blank[static_cast<std::size_t>(learned)]) continue;
        payloads.Add({learned}, {Vector::Constant(1, 0.1), learned % 3 == 0 ? 1.0 : -1.0});
      }
      run.AddRound(end, choices);
    }
    for (const auto& request : instance.requests) {
      for (const std::int64_t index : request) payloads.Remove({index});
      if (!is_reference) rule(run, request, choices);
    }
    History history;
    for (const FatsRun::Round& round : run.rounds()) {
      for (const std::int64_t client : round.drawn) history.push_back(-1 - client);
      for (const auto& batches : round.batches) {
        for (const auto& batch : batches) history.insert(history.end(), batch.begin(), batch.end());
      }
    }
    law[history].Add(choices.Probability());
  } while (choices.Next());
  return law;
}

// Total variation, as a fraction.
inline Fraction Distance(const Law& a, const Law& b) {
  Law difference = a;
  for (const auto& [history, p] : b) difference[history].Add(p, -1);
  Fraction sum;
  for (const auto& [history, p] : difference) {
    sum.Add({p.top < 0 ? -p.top : p.top, p.bottom});
  }
  sum.Add({sum.top, 2 * sum.bottom}, -1);
  return sum;
}

inline FatsSpec Small(std::int64_t clients, std::int64_t draws, std::int64_t steps,
                      std::int64_t batch) {
  return {.client = FatsClient::kIndex,
          .clients = clients,
          .draws = draws,
          .local_steps = steps,
          .batch = batch,
          .round_every = 1};
}

}  // namespace lethe::testing
