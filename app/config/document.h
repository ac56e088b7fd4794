#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config/errors.h"
#include "app/config/substitute.h"

// From a text to a tree of values with places. What a key means is not known here, and the YAML
// library is not known beyond.
namespace lethe::config {

struct Value {
  enum class Kind {
    kNull,  // `null`, `~` or nothing, not in quotes
    kScalar,
    kList,
    kMap,
    kBroken,  // already reported: whoever reads it stays silent
  };

  Kind kind = Kind::kNull;
  int line = 0;                 // of its key, or of itself in a list
  std::string key;              // in a map
  std::string text;             // kScalar: after substitution
  std::string written;          // kScalar: as it stands in the file
  std::vector<Value> children;  // kList and kMap
};

// More than a configuration can need; less than can hurt.
inline constexpr int kDeepest = 16;
inline constexpr int kMostValues = 10'000;  // keys too; counted after aliases are expanded

// Parses YAML, refuses duplicate keys, and substitutes variables inside the values. None when there
// is no mapping to go on with; then at least one error was reported, and otherwise there may be.
std::optional<Value> ParseDocument(const std::string& text, const Environment& environment,
                                   Errors& errors);

}  // namespace lethe::config
