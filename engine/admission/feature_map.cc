#include "engine/admission/feature_map.h"

#include <algorithm>
#include <string_view>

#include "engine/admission/feature_hash.h"
#include "engine/admission/rescale.h"
#include "engine/spec/features.h"

namespace lethe {
namespace {

Eigen::Index Inputs(const ModelSpec& model) {
  return model.hash_bits ? Eigen::Index{1} << *model.hash_bits
                         : static_cast<Eigen::Index>(model.dimension);
}

// The positions of the features of a namespace.
std::vector<std::size_t> Of(std::string_view space, const NamedValues& named, std::size_t count) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < count; ++i) {
    if (NamespaceOf(named[i].first) == space) positions.push_back(i);
  }
  return positions;
}

}  // namespace

std::shared_ptr<const FeatureMap> FeatureMap::Make(const ModelSpec& model,
                                                   const FeaturesSpec& features) {
  return HasMaps(features) ? std::make_shared<const FeatureMap>(model, features) : nullptr;
}

FeatureMap::FeatureMap(const ModelSpec& model, const FeaturesSpec& features)
    : spec_(features), inputs_(Inputs(model)) {
  if (model.hash_bits) {
    for (std::size_t i = 0; i < spec_.scale.names.size(); ++i) scaled_[spec_.scale.names[i]] = i;
  }
  if (spec_.fourier.dimension > 0) fourier_.emplace(spec_.fourier, inputs_);
}

Eigen::Index FeatureMap::dimension() const {
  return fourier_ ? 2 * fourier_->directions() : inputs_;
}

bool FeatureMap::MapNames(const NamedValues& values, const NamedTexts& texts,
                          NamedValues& named) const {
  named = values;
  for (const auto& [name, text] : texts) {
    if (!AppendTextFeatures(spec_.text, name, text, kMaxFeatures, named)) return false;
  }
  for (auto& [name, value] : named) {
    if (const auto found = scaled_.find(name); found != scaled_.end()) {
      value = (value - spec_.scale.mean[found->second]) / spec_.scale.deviation[found->second];
    }
  }
  return named.size() <= kMaxFeatures && AppendCrosses(named);
}

// A namespace that is crossed with itself gives each pair of two features once.
bool FeatureMap::AppendCrosses(NamedValues& named) const {
  const std::size_t count = named.size();
  for (const auto& [left, right] : spec_.cross) {
    const auto lefts = Of(left, named, count);
    const auto rights = left == right ? lefts : Of(right, named, count);
    const std::size_t pairs = left == right
                                  ? lefts.size() * (std::max<std::size_t>(1, lefts.size()) - 1) / 2
                                  : lefts.size() * rights.size();
    if (named.size() + pairs > kMaxFeatures) return false;
    for (std::size_t i = 0; i < lefts.size(); ++i) {
      for (std::size_t j = left == right ? i + 1 : 0; j < rights.size(); ++j) {
        const auto& [a, x] = named[lefts[i]];
        const auto& [b, y] = named[rights[j]];
        named.emplace_back(a + '*' + b, x * y);
      }
    }
  }
  return true;
}

void FeatureMap::MapValues(Example& example) const {
  Vector& x = example.x;
  if (example.at.empty() && scaled_.empty()) {
    for (std::size_t i = 0; i < spec_.scale.mean.size(); ++i) {
      double& value = x[static_cast<Eigen::Index>(i)];
      value = (value - spec_.scale.mean[i]) / spec_.scale.deviation[i];
    }
  }
  if (spec_.clip) x = x.cwiseMax(-*spec_.clip).cwiseMin(*spec_.clip);
  // A row of zeros has no direction and stays as it is.
  if (spec_.normalise == NormaliseKind::kL2 && x.allFinite() && !x.isZero(0)) RescaleTo(1, x);
  if (fourier_) fourier_->Map(example);
}

}  // namespace lethe
