#include "engine/modes/papers/tree_sums.h"

#include <bit>
#include <cmath>

#include "engine/privacy/noise.h"

namespace lethe {
namespace {

std::int64_t FloorLog2(std::int64_t n) { return std::bit_width(static_cast<std::uint64_t>(n)) - 1; }

}  // namespace

TreeSums::TreeSums(Eigen::Index dimension, double bound, double noise_per_level,
                   std::int64_t events)
    : dimension_(dimension),
      bound_(bound),
      noise_per_level_(noise_per_level),
      events_(events),
      complete_(Vector::Zero(dimension)),
      prefix_(Vector::Zero(dimension)) {}

std::int64_t TreeSums::FirstAt(std::int64_t t) const {
  return events_ > 0 ? (t - 1) / events_ * events_ + 1 : std::int64_t{1} << FloorLog2(t);
}

std::int64_t TreeSums::LevelsAt(std::int64_t t) const { return FloorLog2(SizeAt(t)) + 1; }

double TreeSums::SigmaAt(std::int64_t t) const {
  return noise_per_level_ * std::sqrt(static_cast<double>(LevelsAt(t)));
}

double TreeSums::Range(std::int64_t t) const { return 2 * bound_ * static_cast<double>(SizeAt(t)); }

double TreeSums::SensitivityAt(std::int64_t t) const {
  return (bound_ + GridShift(SigmaAt(t), Range(t), dimension_)) * (1 + 1e-12);
}

std::int64_t TreeSums::bytes() const {
  return static_cast<std::int64_t>(growing_.size() + frozen_.size() + 2) * 8 * dimension_;
}

Vector TreeSums::Fresh(std::int64_t t, ShardId shard, RandomSource* random,
                       std::uint64_t& draws) const {
  Vector noise = Vector::Zero(dimension_);
  const Stream stream{Stream::Purpose::kNoise, shard, draws++};
  if (random != nullptr) AddGridNoise(noise, SigmaAt(t), Range(t), *random, stream);
  return noise;
}

void TreeSums::Add(const Vector& gradient, ShardId shard, RandomSource* random,
                   std::uint64_t& draws) {
  const std::int64_t t = ++count_;
  const std::int64_t leaf = t - FirstAt(t) + 1;
  const auto levels = static_cast<std::size_t>(LevelsAt(t));
  if (leaf == 1) {
    growing_.assign(levels, Vector());
    frozen_.assign(levels, Vector::Zero(dimension_));
    for (Vector& node : growing_) node = Fresh(t, shard, random, draws);
  }
  const double spacing = GridSpacing(SigmaAt(t), Range(t));
  const Vector rounded =
      random == nullptr ? gradient : (gradient / spacing).array().round() * spacing;
  prefix_ = complete_;
  for (std::size_t i = 0; i < levels; ++i) {
    growing_[i] += rounded;
    const std::int64_t node = leaf >> i;
    if (node << i == leaf) {
      if (node % 2 == 1) frozen_[i] = growing_[i];
      growing_[i] = Fresh(t, shard, random, draws);
    }
    if (node % 2 == 1) prefix_ += frozen_[i];
  }
  if (leaf == SizeAt(t)) complete_ = prefix_;
}

void DeletedLeaves::Add(std::int64_t t, const TreeSums& tree) {
  const double step = tree.SensitivityAt(t) / tree.SigmaAt(t);
  const std::int64_t first = tree.FirstAt(t);
  for (std::int64_t level = 0; level < tree.LevelsAt(t); ++level) {
    // Trees of one level begin at different places, and none has more nodes than its first event.
    std::int64_t& below = counts_[level << 56 | (first + ((t - first) >> level))];
    rho_ += step * step / 2 * static_cast<double>(2 * below + 1) * (1 + 1e-12);
    ++below;
  }
}

}  // namespace lethe
