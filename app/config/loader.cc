#include "app/config/loader.h"

#include <set>
#include <utility>

#include "app/config/checks.h"
#include "app/config/document.h"
#include "app/config/field.h"
#include "app/config/nearest.h"
#include "app/config/read_file.h"

namespace lethe {
namespace config {
namespace {

std::string LastWord(const std::string& path) { return path.substr(path.rfind('.') + 1); }

// Walks the document along the table of keys.
class Reader {
 public:
  Reader(Config& config, Given& given, Errors& errors)
      : config_(config), given_(given), errors_(errors) {
    for (const Field& field : Fields()) {
      fields_[field.path] = &field;
      std::string child = field.path;
      for (std::size_t dot; (dot = child.rfind('.')) != std::string::npos;) {
        const std::string parent = child.substr(0, dot);
        AddWord(parent, LastWord(child));
        child = parent;
      }
      AddWord("", child);
    }
  }

  void ReadGroup(const Value& group, const std::string& path) {
    for (const Value& value : group.children) ReadKey(value, path);
  }

 private:
  // The keys of a group in the order of the table, each once.
  void AddWord(const std::string& group, const std::string& word) {
    if (known_.insert(JoinPath(group, word)).second) words_[group].push_back(word);
  }

  void ReadKey(const Value& value, const std::string& group) {
    const std::string path = JoinPath(group, value.key);
    const Place place{errors_, path, value.line};
    given_.Add(path, value.line, value.kind != Value::Kind::kNull);
    if (const auto field = fields_.find(path); field != fields_.end()) {
      field->second->read(value, place, config_);
    } else if (words_.contains(path)) {
      ReadSubgroup(value, place);
    } else {
      ReportUnknown(value, group, place);
    }
  }

  // A group with nothing in it is what remains when all its keys are commented out.
  void ReadSubgroup(const Value& value, const Place& place) {
    if (value.kind == Value::Kind::kMap) return ReadGroup(value, place.path);
    if (value.kind == Value::Kind::kNull || value.kind == Value::Kind::kBroken) return;
    place.Report({"is not a mapping", "a mapping with keys: " + OneOf(words_[place.path])});
  }

  void ReportUnknown(const Value& value, const std::string& group, const Place& place) {
    for (const RefusedKey& refused : RefusedKeys()) {
      if (refused.path == place.path) return place.Report({refused.reason});
    }
    place.Report({"unknown key", OneOf(words_[group]), NearestKey(value.key, group)});
  }

  // A word of the same group, or else the same word where it belongs ("lambda" at the top).
  std::string NearestKey(const std::string& key, const std::string& group) {
    if (const auto sibling = Nearest(key, words_[group])) return JoinPath(group, *sibling);
    std::vector<std::string> last_words;
    for (const Field& field : Fields()) last_words.push_back(LastWord(field.path));
    const std::optional<std::string> word = Nearest(key, last_words);
    if (!word) return "";
    for (const Field& field : Fields()) {
      if (LastWord(field.path) == *word) return field.path;
    }
    return "";
  }

  Config& config_;
  Given& given_;
  Errors& errors_;
  std::map<std::string, const Field*> fields_;
  std::map<std::string, std::vector<std::string>> words_;  // by group
  std::set<std::string> known_;
};

LoadReport Unreadable(const std::string& name, const std::string& why) {
  Errors errors(name);
  Place{errors, "", 0}.Report({why});
  return {std::nullopt, errors.Sorted()};
}

}  // namespace
}  // namespace config

LoadReport CheckConfigText(const std::string& text, const std::string& name,
                           const LoadOptions& options) {
  config::Errors errors(name);
  Config config;
  if (const auto root = config::ParseDocument(text, options.environment, errors)) {
    config::Given given;
    given.Add("", root->line, true);
    config::Reader(config, given, errors).ReadGroup(*root, "");
    config::RunChecks({config, given, options.known_modes, errors});
  }
  if (!errors.empty()) return {std::nullopt, errors.Sorted()};
  return {std::move(config), {}};
}

LoadReport CheckConfigFile(const std::string& path, const LoadOptions& options) {
  const std::string name = path == "-" ? "<stdin>" : path;
  const Result<std::string> text = config::ReadWholeFile(path);
  if (!text.ok()) return config::Unreadable(name, text.status().message());
  return CheckConfigText(text.value(), name, options);
}

Result<Config> LoadConfig(const std::string& path, const LoadOptions& options) {
  LoadReport report = CheckConfigFile(path, options);
  if (!report.config) return ToStatus(report.errors);
  return *std::move(report.config);
}

}  // namespace lethe
