#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/config/loader.h"

// Helpers for the tests of the configuration.
namespace lethe::config {

// The smallest valid file. Appended text begins on line 3.
inline constexpr char kMinimal[] = "model:\n  dimension: 20\n";

inline Environment FakeEnvironment(std::map<std::string, std::string> variables) {
  return [variables](const std::string& name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional(found->second);
  };
}

inline LoadReport CheckText(const std::string& text,
                            std::map<std::string, std::string> variables = {}) {
  return CheckConfigText(text, "f", {{}, FakeEnvironment(std::move(variables))});
}

// The errors as a user sees them; the file's name is "f".
inline std::vector<std::string> Complaints(const std::string& text,
                                           std::map<std::string, std::string> variables = {}) {
  std::vector<std::string> lines;
  for (const ConfigError& error : CheckText(text, std::move(variables)).errors) {
    lines.push_back(ToString(error));
  }
  return lines;
}

// The only error. If there are several, all of them in one text, which no test expects.
inline std::string Complaint(const std::string& text,
                             std::map<std::string, std::string> variables = {}) {
  std::string all;
  for (const std::string& line : Complaints(text, std::move(variables))) {
    all += (all.empty() ? "" : "\n") + line;
  }
  return all.empty() ? "no error" : all;
}

// A valid file, apart from `value` at `path`; `line` is the line of the value.
struct FileAndLine {
  std::string text;
  int line = 0;
};

inline FileAndLine FileWith(const std::string& path, const std::string& value) {
  FileAndLine file{"# a comment\n", 2};
  const auto add = [&file](const std::string& line) {
    file.text += line + "\n";
    ++file.line;
  };
  const bool of_model = path.starts_with("model.");
  const bool has_features = path == "model.dimension" || path == "model.hash_bits";
  if (!of_model) add("model: {dimension: 20}");
  std::string indent, rest = path;
  for (std::size_t dot; (dot = rest.find('.')) != std::string::npos; rest.erase(0, dot + 1)) {
    add(indent + rest.substr(0, dot) + ":");
    indent += "  ";
  }
  if (of_model && !has_features) add("  dimension: 20");
  file.text += indent + rest + ": " + value + "\n";
  return file;
}

}  // namespace lethe::config
