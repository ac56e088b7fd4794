#include "app/config/substitute.h"

#include <cstdlib>

#include "app/config/text.h"

namespace lethe {

Environment ProcessEnvironment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

namespace config {
namespace {

Status Wrong(std::string message) { return Status(ErrorCode::kConfig, std::move(message)); }

bool IsName(const std::string& name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (name.empty() || !letter(name[0])) return false;
  for (char c : name) {
    if (!letter(c) && (c < '0' || c > '9')) return false;
  }
  return true;
}

// The value of the text between "${" and "}".
Result<std::string> Expand(const std::string& inside, const Environment& environment) {
  const std::size_t dash = inside.find(":-");
  const std::string name = inside.substr(0, dash);
  if (!IsName(name)) {
    return Wrong("${" + inside + "} is not a variable: write ${NAME} or ${NAME:-default}");
  }
  const bool has_default = dash != std::string::npos;
  if (has_default && inside.find("${", dash) != std::string::npos) {
    return Wrong("the default of ${" + name + "} contains a variable: they do not nest");
  }
  const std::optional<std::string> value = environment(name);
  if (has_default && (!value || value->empty())) return inside.substr(dash + 2);
  if (!value) {
    return Wrong("the environment variable " + name + " is not set; set it, or write ${" + name +
                 ":-default}");
  }
  if (!IsUtf8(*value)) return Wrong("the environment variable " + name + " is not UTF-8 text");
  return *value;
}

}  // namespace

Result<std::string> Substitute(const std::string& text, const Environment& environment) {
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '$') {
      result += text[at];
      continue;
    }
    const char next = at + 1 < text.size() ? text[at + 1] : '\0';
    const std::size_t close = next == '{' ? text.find('}', at) : std::string::npos;
    if (next == '$') {
      result += '$';
      ++at;
    } else if (close != std::string::npos) {
      const Result<std::string> value = Expand(text.substr(at + 2, close - at - 2), environment);
      if (!value.ok()) return value.status();
      result += value.value();
      at = close;
    } else {
      return Wrong("a single '$' begins a variable; write $$ for the character itself");
    }
  }
  return result;
}

std::string EscapeDollars(const std::string& text) {
  std::string escaped;
  for (char c : text) escaped += c == '$' ? "$$" : std::string(1, c);
  return escaped;
}

}  // namespace config
}  // namespace lethe
