#include "engine/admission/feature_encoder.h"

#include <cmath>
#include <string>
#include <utility>

#include "engine/admission/feature_hash.h"
#include "engine/base/fused_kernels.h"

namespace lethe {
namespace {

Rejection Refuse(Reason reason, std::string message) {
  return {.reason = reason, .message = std::move(message), .is_request = false};
}

std::optional<Rejection> CheckFinite(const Vector& x) {
  for (Eigen::Index i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) {
      return Refuse(Reason::kNotFinite, "x[" + std::to_string(i) + "]: is not a finite number");
    }
  }
  return std::nullopt;
}

}  // namespace

FeatureEncoder::FeatureEncoder(const ModelSpec& model, std::shared_ptr<const FeatureMap> map)
    : raw_dimension_(model.hash_bits ? Eigen::Index{1} << *model.hash_bits : model.dimension),
      hash_bits_(model.hash_bits),
      has_bias_(model.bias),
      map_(std::move(map)) {}

std::optional<Rejection> FeatureEncoder::Encode(const Event& event, Example& example,
                                                double& squared_norm) const {
  return hash_bits_ ? EncodeNamed(event, example, squared_norm)
                    : EncodeDense(event, example, squared_norm);
}

bool FeatureEncoder::EncodeView(const LearnView& view, Example& example,
                                double& squared_norm) const {
  if (hash_bits_ || static_cast<Eigen::Index>(view.count) != raw_dimension_) return false;
  example.at.clear();
  example.x.resize(map_ ? raw_dimension_ : input_dimension());
  squared_norm = view.is_float32 ? WidenWithSquaredNorm(view.x, view.count, example.x.data())
                                 : UnpackWithSquaredNorm(view.x, view.count, example.x.data());
  if (map_) {
    if (std::isfinite(squared_norm)) Map(example, squared_norm);
  } else if (has_bias_) {
    example.x[raw_dimension_] = 1;
  }
  return true;
}

std::optional<Rejection> FeatureEncoder::EncodeDense(const Event& event, Example& example,
                                                     double& squared_norm) const {
  if (!event.named.empty() || !event.texts.empty()) {
    return Refuse(Reason::kWrongDimension, "f: this model takes dense features x of length " +
                                               std::to_string(raw_dimension_));
  }
  if (static_cast<Eigen::Index>(event.x.size()) != raw_dimension_) {
    return Refuse(Reason::kWrongDimension, "x: has " + std::to_string(event.x.size()) +
                                               " values, the model takes " +
                                               std::to_string(raw_dimension_));
  }
  example.at.clear();
  example.x.resize(map_ ? raw_dimension_ : input_dimension());
  squared_norm = CopyWithSquaredNorm(event.x.data(), event.x.size(), example.x.data());
  if (!map_ && has_bias_) example.x[raw_dimension_] = 1;
  // Squares of finite values may overflow.
  if (!std::isfinite(squared_norm)) {
    if (auto rejection = CheckFinite(example.x)) return rejection;
  }
  return map_ ? EncodeMapped("x", example, squared_norm) : std::nullopt;
}

std::optional<Rejection> FeatureEncoder::EncodeNamed(const Event& event, Example& example,
                                                     double& squared_norm) const {
  if (!event.x.empty()) {
    return Refuse(Reason::kWrongDimension, "x: this model takes named features f");
  }
  if (event.named.size() > kMaxFeatures) {
    return Refuse(Reason::kTooLarge, "f: has " + std::to_string(event.named.size()) +
                                         " features, the most is " + std::to_string(kMaxFeatures));
  }
  if (!event.texts.empty() && !(map_ && map_->takes_texts())) {
    return Refuse(Reason::kWrongType,
                  "f: a value is a text, and this model takes numbers (texts need features.text: "
                  "words or ngrams)");
  }
  for (std::size_t i = 0; i < event.named.size(); ++i) {
    if (!std::isfinite(event.named[i].second)) {
      return Refuse(Reason::kNotFinite, "f[" + std::to_string(i) + "]: is not a finite number");
    }
  }
  if (map_) {
    NamedValues named;
    if (!map_->MapNames(event.named, event.texts, named)) {
      return Refuse(Reason::kTooLarge, "f: has more than " + std::to_string(kMaxFeatures) +
                                           " features with its words and crosses");
    }
    HashFeatures(named, *hash_bits_, false, example);
    return EncodeMapped("f", example, squared_norm);
  }
  HashFeatures(event.named, *hash_bits_, has_bias_, example);
  const auto x = example.x.head(example.x.size() - (has_bias_ ? 1 : 0));
  squared_norm = x.squaredNorm();
  if (std::isfinite(squared_norm) || x.allFinite()) return std::nullopt;
  return Refuse(Reason::kNotFinite, "f: features that share a place add up to no finite number");
}

std::optional<Rejection> FeatureEncoder::EncodeMapped(const char* field, Example& example,
                                                      double& squared_norm) const {
  if (example.x.allFinite()) {
    Map(example, squared_norm);
    if (std::isfinite(squared_norm) || example.x.allFinite()) return std::nullopt;
  }
  return Refuse(Reason::kNotFinite,
                std::string(field) + ": its features are not finite after the maps of features");
}

// Maps a finite row and adds the bias.
void FeatureEncoder::Map(Example& example, double& squared_norm) const {
  const bool is_sparse = hash_bits_ && map_->fourier() == nullptr;
  map_->MapValues(example);
  squared_norm = example.x.squaredNorm();
  if (!has_bias_) return;
  const Eigen::Index size = example.x.size();
  example.x.conservativeResize(size + 1);
  example.x[size] = 1;
  if (is_sparse) example.at.push_back(static_cast<std::uint32_t>(raw_dimension_));
}

}  // namespace lethe
