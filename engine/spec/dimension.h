#pragma once

#include <cstdint>

#include "engine/base/status.h"
#include "engine/spec/spec.h"

namespace lethe {

// The largest model, in weights: 512 MB of doubles.
inline constexpr std::int64_t kMostWeights = std::int64_t{1} << 26;

// Whether an Example has the nonzero features only: those of hashed names, unless a Fourier map has
// made them dense.
bool IsSparse(const Spec& spec);

// The number of features of an Example, after all maps and without the bias.
std::int64_t FeatureDimension(const Spec& spec);
// The same with the bias: the values of x, or for a sparse example the places that `at` may name.
std::int64_t InputDimension(const Spec& spec);

// The linear outputs m of a model (Loss::outputs). The m weights of feature i stand at
// [i m, (i+1) m) of its weights.
std::int64_t Outputs(const Spec& spec);

// The number of weights: InputDimension * Outputs.
std::int64_t ModelDimension(const Spec& spec);

// Fails (kConfig) if the classes are not at least 2 and at most Loss::kMostClasses, if the
// importance weights have no usable bound, or if the model has more than kMostWeights.
Status CheckDimension(const Spec& spec);

}  // namespace lethe
