#include "app/tune/infer.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace lethe {
namespace {

constexpr std::int64_t kHashBits = 18;
// Whole numbers from 0 to this are taken for classes.
constexpr double kLargestClass = 255;
// Norms up to this are within the default bound: rounding is accepted.
constexpr double kRounding = 1e-6;

// What the learn events of a stream look like.
struct Facts {
  std::int64_t learns = 0;
  bool named = false;
  std::size_t dimension = 0;
  double norm = 0;
  double label = 0;  // the largest |y|
  double weight = 1;
  std::set<std::string> names;  // of classes
  bool signs = true;            // every y is -1, 0 or 1
  bool whole = true;            // every y is a class number
};

Facts FactsOf(const std::vector<Record>& records) {
  Facts facts;
  for (const Record& record : records) {
    const Event& event = record.event;
    if (record.rejection || event.kind == EventKind::kDelete) continue;
    if (facts.learns++ == 0) {
      facts.named = event.x.empty();
      facts.dimension = event.x.size();
    }
    double squares = 0;
    for (const double x : event.x) squares += x * x;
    for (const auto& [name, x] : event.named) squares += x * x;
    facts.norm = std::max(facts.norm, std::sqrt(squares));
    facts.weight = std::max(facts.weight, event.w);
    if (event.label) {
      facts.names.insert(*event.label);
      continue;
    }
    facts.label = std::max(facts.label, std::abs(event.y));
    facts.signs = facts.signs && (std::abs(event.y) == 1 || event.y == 0);
    facts.whole =
        facts.whole && event.y >= 0 && event.y <= kLargestClass && event.y == std::floor(event.y);
  }
  return facts;
}

// A bound with two digits that is at least x.
double Above(double x) {
  double unit = 1;
  while (x / unit >= 100) unit *= 10;
  while (x / unit < 10) unit /= 10;
  const double digits = std::ceil(x / unit);
  return unit < 1 ? digits / std::round(1 / unit) : digits * unit;
}

}  // namespace

Result<Config> InferConfig(const std::vector<Record>& records) {
  const Facts facts = FactsOf(records);
  if (facts.learns == 0) {
    return Status(ErrorCode::kInput, "the stream has no learn event to tune on");
  }
  Config config;
  ModelSpec& model = config.spec.model;
  if (facts.named) {
    model.hash_bits = kHashBits;
    // Features that share a weight can add up to a larger norm.
    model.oversized = Oversized::kRescale;
  } else {
    model.dimension = static_cast<std::int64_t>(facts.dimension);
  }
  if (std::isfinite(facts.norm) && facts.norm > model.feature_norm * (1 + kRounding)) {
    model.feature_norm = Above(facts.norm);
  }
  if (facts.weight > 1 && std::isfinite(facts.weight)) model.weight_bound = Above(facts.weight);
  if (!facts.names.empty()) {
    model.loss = LossKind::kSoftmax;
    model.class_names.assign(facts.names.begin(), facts.names.end());
    model.classes = static_cast<std::int64_t>(model.class_names.size());
  } else if (facts.signs) {
    model.loss = LossKind::kLogistic;
  } else if (facts.whole) {
    model.loss = LossKind::kSoftmax;
    model.classes = static_cast<std::int64_t>(facts.label) + 1;
  } else {
    model.loss = LossKind::kSquared;
    if (facts.label > model.label_bound) model.label_bound = Above(facts.label);
  }
  return config;
}

}  // namespace lethe
