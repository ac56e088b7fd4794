#pragma once

#include <string>

#include "app/config/config.h"

namespace lethe {

// What is in force, as YAML with every key, defaults included, and secrets masked. Without masked
// secrets it can be loaded again and gives the same config.
std::string PrintEffective(const Config& config);

// The same as one JSON object, for programs.
std::string PrintJson(const Config& config);

// The same with a comment above each key: what it does and what is allowed. configs/full.yaml.
std::string PrintAnnotated(const Config& config);

// The tables of docs/configuration.md: all keys, and the librdkafka properties that Lethe sets.
std::string KeysMarkdown();
std::string OwnedPropertiesMarkdown();

}  // namespace lethe
