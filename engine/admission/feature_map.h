#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>

#include "engine/admission/fourier_features.h"
#include "engine/admission/text_features.h"
#include "engine/ports/event.h"
#include "engine/ports/example.h"
#include "engine/spec/spec.h"

namespace lethe {

// The maps of one event's features (engine/spec/features.h). A row depends on its own event and the
// configuration alone, never on other events: that is why every certificate holds for mapped rows
// as for rows that came so. Immutable, so threads share one.
class FeatureMap {
 public:
  // nullptr if no map is configured. `features` must have passed CheckFeatures for this model.
  static std::shared_ptr<const FeatureMap> Make(const ModelSpec& model,
                                                const FeaturesSpec& features);

  FeatureMap(const ModelSpec& model, const FeaturesSpec& features);

  // The maps of named features, before hashing: texts, scale, crosses. Fills `named`. Returns
  // false, with `named` unspecified, if it would have more than kMaxFeatures.
  bool MapNames(const NamedValues& values, const NamedTexts& texts, NamedValues& named) const;

  // The maps of values, in place: the scale of dense features, clip, normalise, Fourier. The row is
  // finite and has no bias. It may come out with values that are not finite; the caller checks.
  void MapValues(Example& example) const;

  bool takes_texts() const { return spec_.text != TextFeatures::kNone; }

  // The length of a row before MapValues; for named features, of the hashed row.
  Eigen::Index inputs() const { return inputs_; }
  // The number of features of a mapped row.
  Eigen::Index dimension() const;
  const FeaturesSpec& spec() const { return spec_; }
  const FourierFeatures* fourier() const { return fourier_ ? &*fourier_ : nullptr; }

 private:
  bool AppendCrosses(NamedValues& named) const;

  const FeaturesSpec spec_;
  const Eigen::Index inputs_;
  std::unordered_map<std::string, std::size_t> scaled_;  // by name: the place in the scale file
  std::optional<FourierFeatures> fourier_;
};

}  // namespace lethe
