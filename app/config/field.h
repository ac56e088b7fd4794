#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/config/config.h"
#include "app/config/document.h"
#include "app/config/errors.h"
#include "app/config/kinds.h"

// The description of the configuration: one Field for each key. Parsing, defaults, printing, the
// JSON Schema, configs/full.yaml and the table in docs/configuration.md are all derived from it.
namespace lethe::config {

// The description of one key. Its functions may be called from any thread.
struct Field {
  std::string path;         // "forgetting.budget.epsilon"
  std::string allowed;      // for people
  std::string description;  // one line, for people
  std::string schema;       // for editors, without null
  bool nullable = false;

  // Reads the value into the config, or reports why not and leaves the config alone.
  std::function<void(const Value&, const Place&, Config&)> read;

  // The value in the config, as one line of YAML. Secrets are masked.
  std::function<std::string(const Config&)> print;

  // The value in the config, as JSON.
  std::string Json(const Config& config) const;

  // The value that the key has when the file does not give it.
  std::string Default() const { return print(Config()); }
};

// All keys in the order of the documentation, group by group. Made once; valid for ever.
const std::vector<Field>& Fields();

// A key that people try, with the reason why it does not exist.
struct RefusedKey {
  std::string path;
  std::string reason;
};
const std::vector<RefusedKey>& RefusedKeys();

// The value for an error message: "'abc'", shortened, with the variable that it came from.
std::string Shown(const Value& value);

// Whether the value is a scalar. Adds an error if it is not.
bool CheckIsScalar(const Value& value, const Place& place, const std::string& allowed);

// The value read as `kind`. None if that fails; an error was then added.
template <typename T>
std::optional<T> ReadAs(const Kind<T>& kind, const Value& value, const Place& place) {
  if (value.kind == Value::Kind::kNull && kind.nullable) return T{};
  if (!CheckIsScalar(value, place, kind.allowed)) return std::nullopt;
  Result<T> result = kind.parse(value.text);
  if (result.ok()) return std::move(result).value();
  place.Report({Shown(value) + " " + result.status().message(), kind.allowed,
                Nearest(value.text, kind.words).value_or("")});
  return std::nullopt;
}

// A field that is one scalar. `at` takes a Config, const or not, and returns the member.
template <typename At, typename T>
Field Describe(std::string path, At at, const Kind<T>& kind, std::string description) {
  Field field{
      std::move(path), kind.allowed, std::move(description), kind.schema, kind.nullable, {}, {}};
  field.read = [at, kind](const Value& value, const Place& place, Config& config) {
    if (std::optional<T> read = ReadAs(kind, value, place)) at(config) = *std::move(read);
  };
  field.print = [at, kind](const Config& config) { return kind.print(at(config)); };
  return field;
}

// The same for a key whose value may be `auto`. `is_auto` returns the flag for that.
template <typename At, typename IsAuto, typename T>
Field DescribeAuto(std::string path, At at, IsAuto is_auto, const Kind<T>& kind,
                   std::string description) {
  const Kind<std::optional<T>> either = OrWord(kind, "auto");
  Field field{
      std::move(path), either.allowed, std::move(description), either.schema, false, {}, {}};
  field.read = [at, is_auto, either](const Value& value, const Place& place, Config& config) {
    const auto read = ReadAs(either, value, place);
    if (!read) return;
    is_auto(config) = !read->has_value();
    if (*read) at(config) = **read;
  };
  field.print = [at, is_auto, either](const Config& config) {
    return either.print(is_auto(config) ? std::optional<T>() : std::optional<T>(at(config)));
  };
  return field;
}

}  // namespace lethe::config
