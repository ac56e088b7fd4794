#include "app/replay/sampled_regret.h"

#include <algorithm>

#include "app/replay/best_model.h"
#include "engine/base/check.h"
#include "engine/base/split_mix.h"

namespace lethe {
namespace {

// Fixed and public: the choice of events need not be secret.
constexpr std::uint64_t kSeed = 0x6c65746865;

}  // namespace

SampledRegret::SampledRegret(const Loss& loss, const Constants& constants, std::int64_t slots)
    : loss_(loss), constants_(constants), most_(slots) {
  LETHE_CHECK(slots > 0);
}

std::optional<std::int64_t> SampledRegret::SlotOf(EventIndex index, std::int64_t slots) {
  if (index.value < slots) return index.value;
  SplitMix random(kSeed ^ SplitMix(static_cast<std::uint64_t>(index.value)).Next());
  const std::int64_t slot = random.Below(index.value + 1);
  if (slot >= slots) return std::nullopt;
  return slot;
}

void SampledRegret::Learn(const LearnedStep& step) {
  ++learned_;
  const auto at = SlotOf(step.index, most_);
  if (!at) return;
  const auto i = static_cast<std::size_t>(*at);
  // The first events fill the slots in order. An index that was not learned leaves its slot empty.
  if (i >= slots_.size()) slots_.resize(i + 1);
  const double paid =
      loss_.Value(step.prediction.score, step.example.y) + constants_.mu / 2 * step.squared_norm;
  slots_[i] = Slot{step.index, step.example.x, step.example.y, paid};
}

void SampledRegret::Forget(std::span<const Target> batch) {
  for (const Target& target : batch) {
    const auto at = SlotOf(target.index, most_);
    if (!at || *at >= static_cast<std::int64_t>(slots_.size())) continue;
    auto& slot = slots_[static_cast<std::size_t>(*at)];
    if (!slot || slot->index != target.index) continue;
    slot->x.setZero();
    slot.reset();
  }
}

std::int64_t SampledRegret::size() const {
  return std::count_if(slots_.begin(), slots_.end(), [](const auto& slot) { return !!slot; });
}

double SampledRegret::Estimate() const {
  if (size() == 0) return 0;
  std::vector<double> x;
  std::vector<double> y;
  double paid = 0;
  for (const auto& slot : slots_) {
    if (!slot) continue;
    x.insert(x.end(), slot->x.begin(), slot->x.end());
    y.push_back(slot->y);
    paid += slot->paid;
  }
  const auto rows = static_cast<Eigen::Index>(y.size());
  const Eigen::Map<const BestModel::Rows> data(x.data(), rows,
                                               static_cast<Eigen::Index>(x.size()) / rows);
  const Eigen::Map<const Vector> labels(y.data(), rows);
  BestModel best(loss_, constants_, data, labels);
  const Vector& z = best.Solve();
  const Vector p = data * z;
  double comparator = static_cast<double>(rows) * constants_.mu / 2 * z.squaredNorm();
  for (Eigen::Index i = 0; i < rows; ++i) comparator += loss_.Value(p[i], labels[i]);
  return static_cast<double>(learned_) * (paid - comparator) / static_cast<double>(rows);
}

}  // namespace lethe
