#pragma once

#include <cstdint>
#include <string_view>

#include "engine/base/json.h"
#include "engine/base/status.h"
#include "engine/spec/spec.h"

// The maps of FeaturesSpec, in the order in which they apply to one event:
//
//   1. text       texts become words, each a named feature
//   2. scale      (value - mean) / deviation
//   3. cross      products of named features of two namespaces
//   (hashing of names)
//   4. clip       each value is cut off at -c and c
//   5. normalise  the row is divided by its norm
//   6. fourier    random Fourier features of the row
//   (the bound on |x|, then the bias)
//
// A named feature is scaled before it is crossed and hashed, because its place in the hashed row
// has no mean of its own. docs/formats/features.md has the maps to the bit.
namespace lethe {

inline constexpr std::int64_t kMostFourierFeatures = std::int64_t{1} << 16;
// The largest matrix of random directions: 128 MB.
inline constexpr std::int64_t kMostDirections = std::int64_t{1} << 24;
inline constexpr std::size_t kMostCrosses = 256;

// Whether any map is configured.
bool HasMaps(const FeaturesSpec& features);

// The namespace of a feature: its name up to the first ^ or =, or the whole name. So country=DK and
// title^cheap are of the namespaces country and title.
std::string_view NamespaceOf(std::string_view name);

// Fails (kConfig), naming the key, if a map is impossible or fits no event of this model.
Status CheckFeatures(const ModelSpec& model, const FeaturesSpec& features);

// Writes the maps that are not the default as an object. Of a scale file, the certificate part has
// the hash, and an exported model has the numbers.
enum class ScaleForm { kHash, kNumbers };
void WriteFeatures(JsonWriter& json, const FeaturesSpec& features, ScaleForm form);

}  // namespace lethe
