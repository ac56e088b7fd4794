#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/base/status.h"

namespace lethe {

// One thing that is wrong with a configuration file.
struct ConfigError {
  std::string file;
  int line = 0;         // from 1; 0 when the file could not be read at all
  int column = 0;       // from 1; 0 except for syntax errors
  std::string path;     // "forgetting.budget.epsilon"; empty when it is about the whole file
  std::string problem;  // what is wrong
  std::string allowed;  // what may stand there; may be empty
  std::string nearest;  // the known key or word that was probably meant; may be empty
};

// "lethe.yaml:12: model.lamda: unknown key; did you mean model.lambda?"
std::string ToString(const ConfigError& error);

// All of them, one a line, with the code of a wrong configuration. There must be at least one.
Status ToStatus(const std::vector<ConfigError>& errors);

namespace config {

// Collects the errors of one file, so that all of them can be shown at once.
class Errors {
 public:
  explicit Errors(std::string file) : file_(std::move(file)) {}

  // Fills in the file.
  void Add(ConfigError error);

  bool empty() const { return errors_.empty(); }

  // Whether something about exactly this path was reported.
  bool Has(const std::string& path) const;

  // In the order of the file.
  std::vector<ConfigError> Sorted() const;

 private:
  std::string file_;
  std::vector<ConfigError> errors_;
};

// What is wrong with a value, before it is known where the value stands.
struct Problem {
  std::string text;
  std::string allowed = {};
  std::string nearest = {};
};

// A place in the file, and where to report what is wrong there.
struct Place {
  Errors& errors;
  std::string path;
  int line = 0;

  void Report(Problem problem) const;
};

// "model" and "lambda" give "model.lambda"; the path of the whole file is empty.
std::string JoinPath(const std::string& path, const std::string& key);

}  // namespace config
}  // namespace lethe
