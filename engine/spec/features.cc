#include "engine/spec/features.h"

#include <cmath>
#include <set>
#include <string>
#include <unordered_set>

namespace lethe {
namespace {

constexpr double kSmallest = 1e-100;
constexpr double kLargest = 1e100;

Status Refuse(const std::string& key, const std::string& message) {
  return {ErrorCode::kConfig, "features." + key + ": " + message};
}

Status CheckNamespace(const std::string& name) {
  if (name.empty()) return Refuse("cross", "a namespace is empty; name the two namespaces");
  if (NamespaceOf(name).size() == name.size()) return Status::Ok();
  return Refuse("cross",
                "a namespace has ^ or = in it, and no feature is of that one: the namespace of a "
                "feature is its name up to the first ^ or =");
}

Status CheckCrosses(const FeaturesSpec& features) {
  if (features.cross.size() > kMostCrosses) {
    return Refuse("cross", "has " + std::to_string(features.cross.size()) + " pairs; at most " +
                               std::to_string(kMostCrosses));
  }
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& [a, b] : features.cross) {
    LETHE_RETURN_IF_ERROR(CheckNamespace(a));
    LETHE_RETURN_IF_ERROR(CheckNamespace(b));
    if (!seen.emplace(std::min(a, b), std::max(a, b)).second) {
      return Refuse("cross", "a pair is listed twice; remove one of them");
    }
  }
  return Status::Ok();
}

Status CheckScaleNumbers(const ScaleSpec& scale) {
  const auto at = [&scale](std::size_t i) {
    return scale.file + ": feature " + std::to_string(i) +
           (scale.names.empty() ? "" : " (" + scale.names[i] + ")");
  };
  for (std::size_t i = 0; i < scale.mean.size(); ++i) {
    if (!std::isfinite(scale.mean[i]) || !std::isfinite(scale.deviation[i])) {
      return Refuse("scale", at(i) + " has a mean or deviation that is not finite");
    }
    if (!(scale.deviation[i] >= kSmallest)) {
      return Refuse("scale", at(i) +
                                 " has a deviation that is not above 0; of a feature that never "
                                 "varied no scale is known: leave it out, or give it deviation 1");
    }
  }
  return Status::Ok();
}

Status CheckScale(const ModelSpec& model, const ScaleSpec& scale) {
  if (scale.file.empty()) return Status::Ok();
  const std::size_t count = scale.mean.size();
  const std::string has = scale.file + " has " + std::to_string(count) + " means";
  if (scale.deviation.size() != count) {
    return Refuse("scale", has + " and " + std::to_string(scale.deviation.size()) + " deviations");
  }
  if (!scale.names.empty() && scale.names.size() != count) {
    return Refuse("scale", has + " and " + std::to_string(scale.names.size()) + " names");
  }
  if (model.hash_bits && scale.names.empty()) {
    return Refuse("scale", scale.file +
                               " has no names, and named features are scaled by name; add "
                               "\"names\": [...] to it");
  }
  if (!model.hash_bits && static_cast<std::int64_t>(count) != model.dimension) {
    return Refuse("scale", has + ", and model.dimension is " + std::to_string(model.dimension));
  }
  std::unordered_set<std::string> seen;
  for (const std::string& name : scale.names) {
    if (!seen.insert(name).second) return Refuse("scale", scale.file + " names a feature twice");
  }
  return CheckScaleNumbers(scale);
}

Status CheckFourier(const ModelSpec& model, const FourierSpec& fourier) {
  const std::int64_t dimension = fourier.dimension;
  if (dimension == 0) return Status::Ok();
  if (dimension < 2 || dimension > kMostFourierFeatures || dimension % 2 != 0) {
    return Refuse("fourier.dimension", "must be an even number from 2 to " +
                                           std::to_string(kMostFourierFeatures) +
                                           ": a sine and a cosine for each direction");
  }
  if (!(fourier.gamma >= 1e-12 && fourier.gamma <= 1e12)) {
    return Refuse("fourier.gamma", "must be between 1e-12 and 1e12");
  }
  const std::int64_t inputs =
      model.hash_bits ? std::int64_t{1} << *model.hash_bits : model.dimension;
  if (inputs <= kMostDirections / (dimension / 2)) return Status::Ok();
  return Refuse("fourier.dimension", std::to_string(dimension / 2) + " directions in " +
                                         std::to_string(inputs) + " features are " +
                                         std::to_string(inputs * (dimension / 2)) +
                                         " numbers; at most " + std::to_string(kMostDirections) +
                                         ". Use a smaller fourier.dimension" +
                                         (model.hash_bits ? " or fewer hash_bits" : ""));
}

// Rows of norm 1 that a smaller bound would refuse, every one of them.
Status CheckUnitRows(const ModelSpec& model, const FeaturesSpec& features) {
  const bool is_unit = features.fourier.dimension > 0 || features.normalise == NormaliseKind::kL2;
  if (!is_unit || model.feature_norm >= 1 || model.oversized == Oversized::kRescale) {
    return Status::Ok();
  }
  return Refuse(features.fourier.dimension > 0 ? "fourier" : "normalise",
                "makes rows of norm 1, and model.feature_norm is below 1, so no event would be "
                "learned; set model.feature_norm: 1");
}

}  // namespace

bool HasMaps(const FeaturesSpec& features) {
  return features.text != TextFeatures::kNone || !features.scale.file.empty() ||
         !features.cross.empty() || features.clip || features.normalise != NormaliseKind::kNone ||
         features.fourier.dimension > 0;
}

std::string_view NamespaceOf(std::string_view name) {
  return name.substr(0, name.find_first_of("^="));
}

Status CheckFeatures(const ModelSpec& model, const FeaturesSpec& features) {
  for (const auto& [is_given, key] : {std::pair(features.text != TextFeatures::kNone, "text"),
                                      std::pair(!features.cross.empty(), "cross")}) {
    if (is_given && !model.hash_bits) {
      return Refuse(key, "features x have no names; use named features f and model.hash_bits");
    }
  }
  if (features.clip && !(*features.clip >= kSmallest && *features.clip <= kLargest)) {
    return Refuse("clip", "must be a number above 0, such as 3");
  }
  LETHE_RETURN_IF_ERROR(CheckCrosses(features));
  LETHE_RETURN_IF_ERROR(CheckScale(model, features.scale));
  LETHE_RETURN_IF_ERROR(CheckFourier(model, features.fourier));
  return CheckUnitRows(model, features);
}

namespace {

template <typename T>
void WriteArray(JsonWriter& json, const char* key, const std::vector<T>& values) {
  json.Key(key).BeginArray();
  for (const T& value : values) json.Value(value);
  json.EndArray();
}

void WriteScale(JsonWriter& json, const ScaleSpec& scale, ScaleForm form) {
  json.Key("scale").BeginObject().Field("public", scale.is_public);
  json.Field("sha256", scale.sha256);
  if (form == ScaleForm::kNumbers) {
    if (!scale.names.empty()) WriteArray(json, "names", scale.names);
    WriteArray(json, "mean", scale.mean);
    WriteArray(json, "deviation", scale.deviation);
  }
  json.EndObject();
}

}  // namespace

void WriteFeatures(JsonWriter& json, const FeaturesSpec& features, ScaleForm form) {
  json.BeginObject();
  if (features.text != TextFeatures::kNone) json.Field("text", Name(features.text));
  if (!features.scale.file.empty()) WriteScale(json, features.scale, form);
  if (!features.cross.empty()) {
    json.Key("cross").BeginArray();
    for (const auto& [a, b] : features.cross) json.BeginArray().Value(a).Value(b).EndArray();
    json.EndArray();
  }
  if (features.clip) json.Field("clip", *features.clip);
  if (features.normalise != NormaliseKind::kNone) {
    json.Field("normalise", Name(features.normalise));
  }
  if (const FourierSpec& fourier = features.fourier; fourier.dimension > 0) {
    json.Key("fourier").BeginObject().Field("dimension", fourier.dimension);
    json.Field("gamma", fourier.gamma).Field("seed", fourier.seed).EndObject();
  }
  json.EndObject();
}

}  // namespace lethe
