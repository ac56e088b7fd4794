#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/config/errors.h"

// What concerns several keys at once and needs neither data nor the engine's constants.
namespace lethe::config {

// Which keys the file gives, and where.
class Given {
 public:
  // `has_value` is false for a key that is given as null.
  void Add(const std::string& path, int line, bool has_value);

  // Given, and not as null. A value that was refused counts too: its error is reported already.
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

struct CheckContext {
  Config& config;  // checks may settle a default that depends on other keys
  const Given& given;
  const std::vector<std::string>& known_modes;  // empty: any mode is taken
  Errors& errors;

  // Silent about a path that has an error already: what is said about a wrong value is a guess.
  void Report(const std::string& path, Problem problem) const;
};

// To add a check, write one more function in checks.cc and list it there.
void RunChecks(const CheckContext& context);

}  // namespace lethe::config
