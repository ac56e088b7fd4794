#include "app/config/errors.h"

#include <algorithm>

namespace lethe {

std::string ToString(const ConfigError& error) {
  std::string text = error.file;
  if (error.line > 0) text += ":" + std::to_string(error.line);
  if (error.column > 0) text += ":" + std::to_string(error.column);
  text += ": ";
  if (!error.path.empty()) text += error.path + ": ";
  text += error.problem;
  if (!error.allowed.empty()) text += "; allowed: " + error.allowed;
  if (!error.nearest.empty()) text += "; did you mean " + error.nearest + "?";
  return text;
}

Status ToStatus(const std::vector<ConfigError>& errors) {
  LETHE_CHECK(!errors.empty());
  std::string message;
  for (const ConfigError& error : errors) {
    if (!message.empty()) message += "\n";
    message += ToString(error);
  }
  return Status(ErrorCode::kConfig, std::move(message));
}

namespace config {

void Errors::Add(ConfigError error) {
  error.file = file_;
  errors_.push_back(std::move(error));
}

bool Errors::Has(const std::string& path) const {
  return std::any_of(errors_.begin(), errors_.end(),
                     [&](const ConfigError& error) { return error.path == path; });
}

std::vector<ConfigError> Errors::Sorted() const {
  std::vector<ConfigError> sorted = errors_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const ConfigError& a, const ConfigError& b) { return a.line < b.line; });
  return sorted;
}

void Place::Report(Problem problem) const {
  ConfigError error;
  error.line = line;
  error.path = path;
  error.problem = std::move(problem.text);
  error.allowed = std::move(problem.allowed);
  error.nearest = std::move(problem.nearest);
  errors.Add(std::move(error));
}

std::string JoinPath(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

}  // namespace config
}  // namespace lethe
