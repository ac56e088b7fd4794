#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/config/errors.h"
#include "app/config/substitute.h"
#include "engine/base/status.h"

namespace lethe {

struct LoadOptions {
  // The names that forgetting.mode may have. Empty: any name is accepted, and Plan::Make checks it.
  std::vector<std::string> known_modes = {};
  Environment environment = ProcessEnvironment();
};

// Either a config or everything that is wrong: there is a config if and only if there are no
// errors. The errors stand in the order of the file.
struct LoadReport {
  std::optional<Config> config;
  std::vector<ConfigError> errors;
};

// Reads, parses and checks the file at `path` ("-" is standard input). Goes on after an error, so
// that all errors can be repaired at once. Checks keys, types, ranges and contradictions between
// keys. Does not check what needs the engine's constants, a broker or the disk.
LoadReport CheckConfigFile(const std::string& path, const LoadOptions& options = {});

// Parses and checks a text in memory. `name` stands for the file in the errors.
LoadReport CheckConfigText(const std::string& text, const std::string& name,
                           const LoadOptions& options = {});

// The config, or a kConfig status whose message has one line for each error.
Result<Config> LoadConfig(const std::string& path, const LoadOptions& options = {});

}  // namespace lethe
