#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/config/errors.h"

// Checks that concern several keys at once and need neither data nor the engine's constants.
namespace lethe::config {

// The keys that a file gives, with their lines. Not thread-safe.
class Given {
 public:
  // `has_value` is false for a key that is given as null.
  void Add(const std::string& path, int line, bool has_value);

  // Whether the key is given, and not as null. A value that was refused counts too, because its
  // error is reported already.
  bool Has(const std::string& path) const;

  // The line of the key, or else of the innermost group around it that the file has.
  int Line(std::string path) const;

 private:
  struct Entry {
    int line = 0;
    bool has_value = false;
  };
  std::map<std::string, Entry> entries_;
};

// The input of a check. All references must outlive the call.
struct CheckContext {
  Config& config;  // a check may set a default that depends on other keys
  const Given& given;
  const std::vector<std::string>& known_modes;  // empty: any mode is accepted
  Errors& errors;

  // Adds an error, unless the path has one already: a second error about a wrong value would be a
  // guess.
  void Report(const std::string& path, Problem problem) const;
};

// Runs all checks, and adds an error for each that fails. To add a check, write one more function
// in checks.cc and list it there.
void RunChecks(const CheckContext& context);

}  // namespace lethe::config
