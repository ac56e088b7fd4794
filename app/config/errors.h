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

// A kConfig status with one line for each error. There must be at least one error.
Status ToStatus(const std::vector<ConfigError>& errors);

namespace config {

// The errors of one file, collected so that all of them can be shown at once. Not thread-safe.
class Errors {
 public:
  explicit Errors(std::string file) : file_(std::move(file)) {}

  // Adds an error, and sets its file.
  void Add(ConfigError error);

  bool empty() const { return errors_.empty(); }

  // Whether there is an error about exactly this path.
  bool Has(const std::string& path) const;

  // The errors in the order of their lines.
  std::vector<ConfigError> Sorted() const;

 private:
  std::string file_;
  std::vector<ConfigError> errors_;
};

// A problem with a value, without its place in the file.
struct Problem {
  std::string text;
  std::string allowed = {};
  std::string nearest = {};
};

// A place in the file, with the list that errors about it go to. Borrows the list.
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
