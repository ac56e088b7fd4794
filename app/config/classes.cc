#include "app/config/classes.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/json.h"
#include "engine/spec/loss.h"

namespace lethe::config {
namespace {

constexpr char kAllowed[] = "an integer from 2 to 4096, or a list of names such as [cat, dog]";
constexpr char kDescription[] =
    "softmax: how many classes there are, with labels from 0; or their names, which are the labels";
constexpr char kSchema[] =
    R"({"anyOf": [{"type": "integer", "minimum": 2, "maximum": 4096}, )"
    R"({"type": "array", "minItems": 2, "maxItems": 4096, "uniqueItems": true, )"
    R"("items": {"type": ["string", "integer"]}}]})";

void ReadNames(const Value& value, const Place& place, ModelSpec& model) {
  std::vector<std::string> names;
  bool is_complete = true;
  for (std::size_t i = 0; i < value.children.size(); ++i) {
    const Value& item = value.children[i];
    const Place here{place.errors, place.path + "[" + std::to_string(i) + "]", item.line};
    auto name = ReadAs(Text("the name of a class"), item, here);
    if (!name) {
      is_complete = false;
    } else if (std::find(names.begin(), names.end(), *name) != names.end()) {
      here.Report({"this class is listed twice", "different names"});
      is_complete = false;
    } else {
      names.push_back(*std::move(name));
    }
  }
  if (!is_complete) return;
  if (names.size() < 2 || names.size() > Loss::kMostClasses) {
    return place.Report({"a list of " + std::to_string(names.size()) + " classes", kAllowed});
  }
  model.classes = static_cast<std::int64_t>(names.size());
  model.class_names = std::move(names);
}

void Read(const Value& value, const Place& place, Config& config) {
  ModelSpec& model = config.spec.model;
  if (value.kind == Value::Kind::kList) return ReadNames(value, place, model);
  if (value.kind == Value::Kind::kNull) {
    model.classes = 0;
    model.class_names.clear();
  } else if (const auto classes = ReadAs(Integer(2, Loss::kMostClasses), value, place)) {
    model.classes = *classes;
    model.class_names.clear();
  }
}

std::string Print(const Config& config) {
  const ModelSpec& model = config.spec.model;
  if (model.class_names.empty()) {
    return model.classes == 0 ? "null" : std::to_string(model.classes);
  }
  JsonWriter json;
  json.BeginArray();
  for (const std::string& name : model.class_names) json.Value(name);
  json.EndArray();
  return json.text();
}

}  // namespace

Field DescribeClasses() {
  return {"model.classes", kAllowed, kDescription, kSchema, true, Read, Print};
}

}  // namespace lethe::config
