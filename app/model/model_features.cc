#include "app/model/model_features.h"

#include <string>
#include <string_view>

#include "app/config/scale_file.h"

namespace lethe {
namespace {

namespace dom = simdjson::dom;
using dom::element;

Status Unknown(std::string_view key) {
  return {ErrorCode::kInput, "features." + std::string(key) +
                                 " is not of a form that this program knows; a newer one may have "
                                 "written it"};
}

bool ReadText(std::string_view name, TextFeatures& text) {
  for (const TextFeatures kind : {TextFeatures::kWords, TextFeatures::kNgrams}) {
    text = kind;
    if (name == Name(kind)) return true;
  }
  return false;
}

bool ReadCross(const element& value, FeaturesSpec& features) {
  dom::array pairs;
  if (value.get(pairs) != simdjson::SUCCESS) return false;
  for (const element pair : pairs) {
    std::string_view left, right;
    dom::array both;
    if (pair.get(both) != simdjson::SUCCESS || both.size() != 2 ||
        both.at(0).get(left) != simdjson::SUCCESS || both.at(1).get(right) != simdjson::SUCCESS) {
      return false;
    }
    features.cross.emplace_back(left, right);
  }
  return true;
}

bool ReadFourier(const element& value, FourierSpec& fourier) {
  return value["dimension"].get(fourier.dimension) == simdjson::SUCCESS &&
         value["gamma"].get(fourier.gamma) == simdjson::SUCCESS &&
         value["seed"].get(fourier.seed) == simdjson::SUCCESS;
}

bool ReadMap(std::string_view key, const element& value, FeaturesSpec& features) {
  std::string_view name;
  if (key == "text") return value.get(name) == simdjson::SUCCESS && ReadText(name, features.text);
  if (key == "cross") return ReadCross(value, features);
  if (key == "clip") return value.get(features.clip.emplace()) == simdjson::SUCCESS;
  if (key == "fourier") return ReadFourier(value, features.fourier);
  if (key == "normalise") {
    features.normalise = NormaliseKind::kL2;
    return value.get(name) == simdjson::SUCCESS && name == Name(features.normalise);
  }
  return false;
}

}  // namespace

Status ReadModelFeatures(const element& document, FeaturesSpec& features) {
  dom::object members;
  if (document.get(members) != simdjson::SUCCESS) {
    return {ErrorCode::kInput, "features is not an object"};
  }
  for (const auto& [key, value] : members) {
    if (dom::object scale; key == "scale" && value.get(scale) == simdjson::SUCCESS) {
      features.scale.file = "features.scale";
      LETHE_RETURN_IF_ERROR(config::ReadScale(scale, features.scale));
    } else if (!ReadMap(key, value, features)) {
      return Unknown(key);
    }
  }
  return Status::Ok();
}

}  // namespace lethe
