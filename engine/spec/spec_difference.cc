#include "engine/spec/spec_difference.h"

#include <map>
#include <vector>

namespace lethe {
namespace {

// The end of the value that begins at `at`: a text, a number, a word or an array.
std::size_t EndOfValue(std::string_view json, std::size_t at) {
  int depth = 0;
  bool in_text = false;
  for (; at < json.size(); ++at) {
    const char c = json[at];
    if (in_text) {
      if (c == '\\') ++at;
      if (c == '"') in_text = false;
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}')) return at;
    in_text = c == '"';
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
  }
  return json.size();
}

// The values of nested JSON objects by their path, such as "model.lambda". It parses only the JSON
// that CertificatePart writes: no spaces, and no object inside an array.
std::map<std::string, std::string> Flatten(std::string_view json) {
  std::map<std::string, std::string> values;
  std::vector<std::string> path;
  std::string key;
  std::size_t at = 0;
  while (at < json.size()) {
    const char c = json[at];
    if (c == '{') {
      path.push_back(key);
      ++at;
    } else if (c == '}') {
      if (!path.empty()) path.pop_back();
      ++at;
    } else if (c == ',') {
      ++at;
    } else {
      const std::size_t colon = json.find("\":", at);
      if (colon == std::string_view::npos) break;
      const std::string name(json.substr(at + 1, colon - at - 1));
      key = path.empty() || path.back().empty() ? name : path.back() + "." + name;
      at = colon + 2;
      if (at < json.size() && json[at] == '{') continue;
      const std::size_t end = EndOfValue(json, at);
      values[key] = json.substr(at, end - at);
      at = end;
    }
  }
  return values;
}

}  // namespace

std::string SpecDifference(std::string_view theirs, std::string_view ours) {
  const auto before = Flatten(theirs);
  auto now = Flatten(ours);
  std::string text;
  for (const auto& [key, value] : before) {
    const std::string& other = now[key];
    if (other != value) {
      text += "  " + key + ": " + value + " in the state, " + (other.empty() ? "absent" : other) +
              " in the configuration\n";
    }
    now.erase(key);
  }
  for (const auto& [key, value] : now) {
    text += "  " + key + ": absent in the state, " + value + " in the configuration\n";
  }
  return text;
}

}  // namespace lethe
