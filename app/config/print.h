#pragma once

#include <string>

#include "app/config/config.h"

namespace lethe {

// The config as YAML with every key, defaults included, and with secrets masked. If it has no
// secret, the text can be loaded again and gives the same config.
std::string PrintEffective(const Config& config);

// The config as YAML with the keys that differ from their defaults. If it has a secret, a comment
// says which key has to be copied, and the key is left out; otherwise the text can be loaded again
// and gives the same config.
std::string PrintChanged(const Config& config);

// The config as one JSON object, for programs.
std::string PrintJson(const Config& config);

// The YAML of PrintEffective with a comment above each key, which says what the key does and which
// values are allowed. configs/full.yaml is this text for the defaults.
std::string PrintAnnotated(const Config& config);

// The tables of docs/configuration.md: all keys, and the librdkafka properties that Lethe sets.
std::string KeysMarkdown();
std::string OwnedPropertiesMarkdown();

}  // namespace lethe
