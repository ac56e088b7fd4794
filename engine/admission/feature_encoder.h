#pragma once

#include <memory>
#include <optional>

#include "engine/admission/feature_map.h"
#include "engine/ports/event.h"
#include "engine/ports/example.h"
#include "engine/ports/learn_view.h"
#include "engine/spec/spec.h"

namespace lethe {

// Makes the features of an example from those of an event: it checks their form, hashes names,
// applies the maps, and adds the bias. Learning and scoring share it, so that a row means the same
// in both. It enforces no bound on the norm: EventValidator does. Thread-safe; owns a copy of the
// model's settings and shares the maps.
class FeatureEncoder {
 public:
  // `map` may be nullptr: the features are used as they are.
  FeatureEncoder(const ModelSpec& model, std::shared_ptr<const FeatureMap> map);

  // The number of features, bias included.
  Eigen::Index input_dimension() const { return feature_dimension() + (has_bias_ ? 1 : 0); }

  // Fills x and `at` of the example and returns nullopt, or returns the rejection; the example is
  // then unspecified. All values are finite. `squared_norm` is that of x without the bias, and may
  // overflow. The message of a rejection has no feature value or name.
  std::optional<Rejection> Encode(const Event& event, Example& example, double& squared_norm) const;
  // Fast path of Encode for dense events. Returns false if the event needs Encode (wrong
  // dimension); the example is then unspecified. Values that are not finite make `squared_norm` not
  // finite.
  bool EncodeView(const LearnView& view, Example& example, double& squared_norm) const;

 private:
  Eigen::Index feature_dimension() const { return map_ ? map_->dimension() : raw_dimension_; }

  std::optional<Rejection> EncodeDense(const Event& event, Example& example,
                                       double& squared_norm) const;
  std::optional<Rejection> EncodeNamed(const Event& event, Example& example,
                                       double& squared_norm) const;
  std::optional<Rejection> EncodeMapped(const char* field, Example& example,
                                        double& squared_norm) const;
  void Map(Example& example, double& squared_norm) const;

  const Eigen::Index raw_dimension_;
  const std::optional<std::int64_t> hash_bits_;
  const bool has_bias_;
  const std::shared_ptr<const FeatureMap> map_;
};

}  // namespace lethe
