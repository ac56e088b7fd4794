#include "app/tune/candidates.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <set>

#include "engine/base/elementary.h"
#include "engine/plan.h"

namespace lethe {
namespace {

struct Regularisation {
  double lambda;
  double radius;
};

// A weak regulariser allows a large model.
constexpr Regularisation kRegularisations[] = {{1e-6, 100}, {1e-4, 30}, {1e-3, 30}, {0.01, 12}};

std::optional<double> LargestStep(const Spec& spec) {
  Spec learner = spec;
  learner.forgetting = {};
  learner.forgetting.mode = "none";
  learner.learning = {};
  const auto plan = Plan::Make(learner);
  if (!plan.ok()) return std::nullopt;
  return 2 / (plan.value().constants.beta + plan.value().constants.mu);
}

// Three digits are enough, and look like a setting.
double Rounded(double x) {
  if (!(x > 0) || !std::isfinite(x)) return x;
  double unit = 1;
  while (x / unit >= 1000) unit *= 10;
  while (x / unit < 100) unit /= 10;
  const double digits = std::round(x / unit);
  // Dividing by a whole number gives the double that the decimal stands for.
  return unit < 1 ? digits / std::round(1 / unit) : digits * unit;
}

class Collection {
 public:
  void Add(const Spec& spec) {
    if (seen_.insert(CertificatePart(spec)).second) specs_.push_back(spec);
  }
  std::size_t size() const { return specs_.size(); }
  std::vector<Spec> Take() { return std::move(specs_); }

 private:
  std::set<std::string> seen_;
  std::vector<Spec> specs_;
};

void AddSgd(const Spec& base, Collection& all) {
  for (const Regularisation& r : kRegularisations) {
    Spec spec = base;
    spec.model.lambda = r.lambda;
    spec.model.radius = r.radius;
    const auto largest = LargestStep(spec);
    if (!largest) continue;
    spec.learning.update = UpdateKind::kSgd;
    for (const double part : {0.5, 0.15, 0.05, 0.015, 0.005, 0.0015}) {
      spec.learning.schedule = ScheduleKind::kConstant;
      spec.learning.eta = Rounded(part * *largest);
      all.Add(spec);
    }
    for (const double factor : {16.0, 4.0, 1.0, 0.25}) {
      spec.learning.schedule = ScheduleKind::kInverseSqrt;
      spec.learning.eta = Rounded(factor * *largest);
      all.Add(spec);
    }
    for (const double factor : {1.0, 0.25}) {
      spec.learning.schedule = ScheduleKind::kInverseTime;
      spec.learning.eta = Rounded(factor * *largest);
      all.Add(spec);
    }
  }
}

// Steps for each weight: their scale is that of the weights, except for the rule that finds out.
double ScaleOf(const Spec& base, UpdateKind update) {
  return update == UpdateKind::kNormalised ? 1 : 1 / base.model.feature_norm;
}

void AddPerFeature(const Spec& base, Collection& all) {
  for (const UpdateKind update :
       {UpdateKind::kAdagrad, UpdateKind::kNormalised, UpdateKind::kFtrl}) {
    for (const Regularisation& r : {kRegularisations[0], kRegularisations[1]}) {
      for (const double eta : {4.0, 1.5, 0.5, 0.15, 0.05}) {
        Spec spec = base;
        spec.model.lambda = r.lambda;
        spec.model.radius = r.radius;
        spec.learning.update = update;
        spec.learning.schedule = ScheduleKind::kConstant;
        spec.learning.eta = Rounded(eta * ScaleOf(base, update));
        all.Add(spec);
      }
    }
  }
}

// Settings drawn at random, evenly on a logarithmic scale. The same ones in every run.
class Draws {
 public:
  Draws(const Spec& base, bool exact_mode) : base_(base), families_(exact_mode ? 6 : 3) {
    // 2/(beta + mu), where each of the two grows with lambda. A plan for each draw takes too long.
    if (const auto largest = LargestStep(base)) curvature_ = 2 / *largest - 2 * base.model.lambda;
  }

  void AddTo(Collection& all) {
    Spec spec = base_;
    spec.model.lambda = Rounded(Between(-8, -1.5));
    spec.model.radius = Rounded(Between(0.5, 2.5));
    if (!(curvature_ > 0)) return;
    const double largest = Rounded(2 / (curvature_ + 2 * spec.model.lambda) * 0.99);
    const double step = Between(-3.5, 0);
    const std::uint64_t family = bits_() % families_;
    spec.learning.schedule = kSchedules[family % 3];
    spec.learning.update = UpdateKind::kSgd;
    double eta = largest * step * (family == 0 ? 1 : 30);
    if (family >= 3) {
      spec.learning.update = kRules[family - 3];
      spec.learning.schedule = ScheduleKind::kConstant;
      eta = 5 * step * ScaleOf(base_, spec.learning.update);
    }
    spec.learning.eta = Rounded(eta);
    all.Add(spec);
  }

 private:
  static constexpr ScheduleKind kSchedules[] = {ScheduleKind::kConstant, ScheduleKind::kInverseSqrt,
                                                ScheduleKind::kInverseTime};
  static constexpr UpdateKind kRules[] = {UpdateKind::kAdagrad, UpdateKind::kNormalised,
                                          UpdateKind::kFtrl};

  // 10 to the power of a number between the two.
  double Between(double low, double high) {
    const double part = static_cast<double>(bits_() >> 11) * 0x1p-53;
    return elementary::Pow(10, low + part * (high - low));
  }

  const Spec& base_;
  const std::uint64_t families_;
  double curvature_ = 0;
  std::mt19937_64 bits_;
};

}  // namespace

std::string Family(const Spec& spec) {
  const std::string update = Name(spec.learning.update);
  return spec.learning.update == UpdateKind::kSgd ? update + "/" + Name(spec.learning.schedule)
                                                  : update;
}

std::vector<Spec> Candidates(const Spec& stated, bool exact_mode, std::size_t most) {
  Spec base = WithDefaults(stated);
  base.model.lambda_is_auto = base.learning.update_is_auto = false;
  Collection grid;
  AddSgd(base, grid);
  if (exact_mode) AddPerFeature(base, grid);
  const std::vector<Spec> all = grid.Take();
  Collection chosen;
  chosen.Add(base);
  // A stride that has no factor in common with the size visits every place once, far apart.
  std::size_t stride = all.size() * 5 / 8 + 1;
  while (std::gcd(stride, all.size()) != 1) ++stride;
  for (std::size_t i = 0; i < all.size() && i + 1 < most; ++i) {
    chosen.Add(all[i * stride % all.size()]);
  }
  Draws draws(base, exact_mode);
  // Some draws repeat an earlier one.
  for (std::size_t i = 0; i < 2 * most && chosen.size() < most; ++i) draws.AddTo(chosen);
  return chosen.Take();
}

std::vector<Spec> Neighbours(const Spec& spec, bool fine) {
  Collection near;
  const double step = fine ? 1.4 : 2.5;
  const auto scaled_eta = [&](double factor) {
    Spec other = spec;
    double eta = 0;
    if (spec.learning.eta) {
      eta = *spec.learning.eta * factor;
    } else if (const auto plan = Plan::Make(spec); plan.ok()) {
      const Schedule& schedule = plan.value().schedule;
      eta = factor * (schedule.update() == UpdateKind::kSgd ? schedule.Step(1) : schedule.rate());
    }
    if (eta <= 0) return;
    if (spec.learning.update == UpdateKind::kSgd &&
        spec.learning.schedule == ScheduleKind::kConstant) {
      if (const auto largest = LargestStep(spec)) eta = std::min(eta, *largest);
    }
    other.learning.eta = Rounded(eta);
    near.Add(other);
  };
  scaled_eta(step);
  scaled_eta(1 / step);
  for (const double factor : fine ? std::vector{3.0, 1 / 3.0} : std::vector{10.0, 0.1}) {
    Spec other = spec;
    other.model.lambda = std::max(1e-9, Rounded(spec.model.lambda * factor));
    near.Add(other);
  }
  // Steps for each weight know no ball.
  const bool has_ball = spec.learning.update == UpdateKind::kSgd;
  for (const double factor : has_ball ? std::vector{2.0, 0.5} : std::vector<double>{}) {
    Spec other = spec;
    other.model.radius = Rounded(spec.model.radius * factor);
    near.Add(other);
  }
  return near.Take();
}

}  // namespace lethe
