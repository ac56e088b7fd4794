#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/config/errors.h"
#include "app/config/substitute.h"

// From a text to a tree of values with line numbers. This layer does not know what a key means, and
// the layers above it do not know the YAML library.
namespace lethe::config {

// A node of the tree. A value; owns its children.
struct Value {
  enum class Kind {
    kNull,  // `null`, `~` or nothing, not in quotes
    kScalar,
    kList,
    kMap,
    kBroken,  // its error is already reported, so readers add no other
  };

  Kind kind = Kind::kNull;
  int line = 0;                 // of its key, or of itself in a list
  std::string key;              // in a map
  std::string text;             // kScalar: after substitution
  std::string written;          // kScalar: as it stands in the file
  std::vector<Value> children;  // kList and kMap
};

// Limits against files that would take all memory; far above what a configuration needs.
inline constexpr int kDeepest = 16;
inline constexpr int kMostValues = 10'000;  // keys too; counted after aliases are expanded

// Parses YAML, refuses duplicate keys, and substitutes variables inside the values. Returns none if
// the text is not a mapping; at least one error was then added. A tree that is returned may have
// errors too.
std::optional<Value> ParseDocument(const std::string& text, const Environment& environment,
                                   Errors& errors);

}  // namespace lethe::config
