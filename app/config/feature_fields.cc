#include "app/config/feature_fields.h"

#include <string>
#include <utility>
#include <vector>

#include "app/config/scale_file.h"
#include "engine/base/json.h"

namespace lethe::config {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr char kPairs[] = "a list of pairs of namespaces, such as [[carrier, hour]]";
constexpr char kPairsSchema[] =
    R"({"type": "array", "maxItems": 256, "items": {"type": "array", "minItems": 2, )"
    R"("maxItems": 2, "items": {"type": ["string", "integer"]}}})";
constexpr char kAllowedScale[] = "the path of a JSON file with mean and deviation";

void ReadCross(const Value& value, const Place& place, Config& config) {
  if (value.kind == Value::Kind::kBroken) return;
  if (value.kind == Value::Kind::kNull) return config.spec.features.cross.clear();
  if (value.kind != Value::Kind::kList) return place.Report({"is not a list", kPairs});
  Pairs pairs;
  bool is_complete = true;
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    const Value& pair = value.children[i];
    const Place here{place.errors, place.path + "[" + std::to_string(i) + "]", pair.line};
    if (pair.kind != Value::Kind::kList || pair.children.size() != 2) {
      if (pair.kind != Value::Kind::kBroken) here.Report({"is not a pair", kPairs});
      is_complete = false;
      continue;
    }
    auto left = ReadAs(Text("a namespace"), pair.children[0], here);
    auto right = ReadAs(Text("a namespace"), pair.children[1], here);
    is_complete = is_complete && left && right;
    if (left && right) pairs.emplace_back(*std::move(left), *std::move(right));
  }
  if (is_complete) config.spec.features.cross = std::move(pairs);
}

std::string PrintCross(const Config& config) {
  JsonWriter json;
  json.BeginArray();
  for (const auto& [left, right] : config.spec.features.cross) {
    json.BeginArray().Value(left).Value(right).EndArray();
  }
  return json.EndArray().text();
}

void ReadScaleKey(const Value& value, const Place& place, Config& config) {
  config.spec.features.scale = {};
  if (value.kind == Value::Kind::kNull) return;
  const auto path = ReadAs(Text(kAllowedScale), value, place);
  if (!path) return;
  auto scale = ReadScaleFile(*path);
  if (!scale.ok()) return place.Report({scale.status().message()});
  config.spec.features.scale = std::move(scale).value();
}

std::string PrintScale(const Config& config) {
  const std::string& file = config.spec.features.scale.file;
  return file.empty() ? "null" : Text(kAllowedScale).print(file);
}

}  // namespace

Field DescribeCross() {
  return {"features.cross",
          kPairs,
          "products of every named feature of one namespace with every one of the other; the "
          "namespace of a feature is its name up to the first ^ or =",
          kPairsSchema,
          true,
          ReadCross,
          PrintCross};
}

Field DescribeScale() {
  return {
      "features.scale",
      kAllowedScale,
      "each value becomes (value - mean) / deviation; the file says whether it is public, and if "
      "not, receipts say so",
      R"({"type": "string", "minLength": 1})",
      true,
      ReadScaleKey,
      PrintScale};
}

}  // namespace lethe::config
