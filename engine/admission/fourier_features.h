#pragma once

#include <mutex>
#include <vector>

#include "engine/ports/example.h"
#include "engine/spec/spec.h"

namespace lethe {

// Random Fourier features (Rahimi and Recht 2007) of a Gaussian kernel: with D/2 directions w drawn
// from N(0, 2 gamma I), a row x becomes
//
//   sqrt(2/D) (1 - 2^-35) (cos <w_1,x>, ..., cos <w_D/2,x>, sin <w_1,x>, ..., sin <w_D/2,x>),
//
// whose products are nearly exp(-gamma |x - y|^2), so that a linear model of it is a kernel
// machine. A sum of D <= 2^16 computed squares is wrong by less than 2^-36 of itself, so the
// computed norm of a row is at most 1, whatever x is.
//
// The directions depend on the seed alone and are the same on every machine. They are drawn at the
// first use and then kept, so that a plan costs nothing. Thread-safe.
class FourierFeatures {
 public:
  // `spec` must have passed CheckFeatures for this number of inputs.
  FourierFeatures(const FourierSpec& spec, Eigen::Index inputs) : spec_(spec), inputs_(inputs) {}

  // Replaces a row of `inputs` features, dense or sparse, by its D Fourier features. A product that
  // is not finite becomes features that are NaN; the caller checks.
  void Map(Example& example) const;

  // The number of directions, D/2.
  Eigen::Index directions() const { return static_cast<Eigen::Index>(spec_.dimension / 2); }
  // The directions in turns, w / (2 pi): a row of D/2 numbers for each input.
  const std::vector<double>& InTurns() const;

 private:
  const FourierSpec spec_;
  const Eigen::Index inputs_;
  mutable std::once_flag is_drawn_;
  mutable std::vector<double> turns_;
};

}  // namespace lethe
