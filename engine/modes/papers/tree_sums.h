#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/base/types.h"
#include "engine/ports/random.h"

namespace lethe {

// Prefix sums of gradients, differentially private by tree aggregation (Dwork, Naor, Pitassi,
// Rothblum 2010; Chan, Shi, Song 2011): every node of a binary tree over the events holds the sum
// below it plus one Gaussian, and a prefix is a sum of at most h nodes, one per level. A node
// starts with its noise, so that a sum without noise never exists. All values are multiples of one
// spacing, so their sums are exact.
//
// If the number of events is unknown, a new tree begins at events 1, 2, 4, 8, ..., with as many
// levels as it needs, and a complete tree contributes its root. If T is known, another tree of the
// same size begins after T events. A value type; not thread-safe.
class TreeSums {
 public:
  // Of events whose gradients have a norm of at most `bound`; `noise_per_level` is the sigma of a
  // tree with one level, and one with h has sqrt(h) of it. events: T, or 0 if unknown.
  TreeSums(Eigen::Index dimension, double bound, double noise_per_level, std::int64_t events);

  // Takes in one gradient. Noise streams are numbered from `draws` on; without a source none is
  // drawn.
  void Add(const Vector& gradient, ShardId shard, RandomSource* random, std::uint64_t& draws);

  // The noised sum of everything so far.
  const Vector& prefix() const { return prefix_; }
  std::int64_t count() const { return count_; }

  // Of the tree that event t = 1, 2, ... belongs to: its first event, how many it takes, its
  // levels, its sigma, and how far one event can move a node, rounding to the spacing included.
  std::int64_t FirstAt(std::int64_t t) const;
  std::int64_t SizeAt(std::int64_t t) const { return events_ > 0 ? events_ : FirstAt(t); }
  std::int64_t LevelsAt(std::int64_t t) const;
  double SigmaAt(std::int64_t t) const;
  double SensitivityAt(std::int64_t t) const;
  std::int64_t bytes() const;

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.count_, self.growing_, self.frozen_, self.complete_, self.prefix_);
  }

 private:
  Vector Fresh(std::int64_t t, ShardId shard, RandomSource* random, std::uint64_t& draws) const;
  // The largest norm that a node can have, but for its noise.
  double Range(std::int64_t t) const;

  Eigen::Index dimension_;
  double bound_;
  double noise_per_level_;
  std::int64_t events_;
  std::int64_t count_ = 0;
  std::vector<Vector> growing_;  // the node of each level that is being filled
  std::vector<Vector> frozen_;   // the last one that is part of the prefix
  Vector complete_;              // trees that are full
  Vector prefix_;
};

// The privacy cost of the deleted events, for everything ever released: rho = (G^2/2) sum over
// nodes of (deleted events below it)^2 / sigma^2. A value type; not thread-safe.
class DeletedLeaves {
 public:
  // Event t = 1, 2, ... is deleted.
  void Add(std::int64_t t, const TreeSums& tree);
  double rho() const { return rho_; }
  std::int64_t bytes() const { return static_cast<std::int64_t>(counts_.size()) * 16; }

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.counts_, self.rho_);
  }

 private:
  std::unordered_map<std::int64_t, std::int64_t> counts_;  // of a node, by its level and place
  double rho_ = 0;
};

}  // namespace lethe
