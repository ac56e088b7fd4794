#include "app/config/document.h"

#include <map>

#include <yaml-cpp/yaml.h>

#include "app/config/yaml.h"

namespace lethe::config {
namespace {

// Turns the YAML library's nodes into values. Aliases are expanded, so a small file can stand for a
// huge tree; the limits are therefore counted while it expands.
class Converter {
 public:
  Converter(const Environment& environment, Errors& errors)
      : environment_(environment), errors_(errors) {}

  Value Convert(const YAML::Node& node, const std::string& path, int line, int depth) {
    Value value;
    value.line = line;
    value.kind = Value::Kind::kBroken;
    if (!WithinLimits(path, line, depth)) return value;
    if (!IsPlainTag(node.Tag())) {
      Report(path, line, "YAML tags such as " + node.Tag() + " are not supported");
    } else if (node.IsScalar()) {
      ConvertScalar(node, path, value);
    } else if (node.IsSequence()) {
      ConvertList(node, path, depth, value);
    } else if (node.IsMap()) {
      ConvertMap(node, path, depth, value);
    } else {
      value.kind = Value::Kind::kNull;
    }
    return value;
  }

 private:
  static bool IsPlainTag(const std::string& tag) { return tag.empty() || tag == "?" || tag == "!"; }

  static int LineOf(const YAML::Node& node) { return node.Mark().line + 1; }

  // Counts one more value or key; after the first one too many, nothing more is converted.
  bool WithinLimits(const std::string& path, int line, int depth) {
    if (overflowed_) return false;
    overflowed_ = ++count_ > kMostValues || depth > kDeepest;
    if (overflowed_) Report(path, line, "too many or too deeply nested values");
    return !overflowed_;
  }

  void Report(const std::string& path, int line, std::string text) {
    Place{errors_, path, line}.Report({std::move(text)});
  }

  void ConvertScalar(const YAML::Node& node, const std::string& path, Value& value) {
    value.written = node.Scalar();
    Result<std::string> text = Substitute(value.written, environment_);
    if (!text.ok()) return Report(path, value.line, text.status().message());
    value.kind = Value::Kind::kScalar;
    value.text = std::move(text).value();
  }

  void ConvertList(const YAML::Node& node, const std::string& path, int depth, Value& value) {
    value.kind = Value::Kind::kList;
    for (const auto& item : node) {
      if (overflowed_) return;
      const std::string item_path = path + "[" + std::to_string(value.children.size()) + "]";
      value.children.push_back(Convert(item, item_path, LineOf(item), depth + 1));
    }
  }

  void ConvertMap(const YAML::Node& node, const std::string& path, int depth, Value& value) {
    value.kind = Value::Kind::kMap;
    std::map<std::string, int> seen;
    for (const auto& entry : node) {
      const int line = LineOf(entry.first);
      if (!WithinLimits(path, line, depth)) return;
      if (!entry.first.IsScalar()) {
        Report(path, line, "a key must be a word");
        continue;
      }
      const std::string& key = entry.first.Scalar();
      const auto [first, is_new] = seen.emplace(key, line);
      if (!is_new) {
        Report(JoinPath(path, key), line,
               "given twice; the first is on line " + std::to_string(first->second));
        continue;
      }
      value.children.push_back(Convert(entry.second, JoinPath(path, key), line, depth + 1));
      value.children.back().key = key;
    }
  }

  const Environment& environment_;
  Errors& errors_;
  int count_ = 0;
  bool overflowed_ = false;
};

}  // namespace

std::optional<Value> ParseDocument(const std::string& text, const Environment& environment,
                                   Errors& errors) {
  const std::optional<YAML::Node> root = ParseYaml(text, errors);
  if (!root) return std::nullopt;
  return Converter(environment, errors).Convert(*root, "", root->Mark().line + 1, 0);
}

}  // namespace lethe::config
