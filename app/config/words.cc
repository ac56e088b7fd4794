// The kinds whose values are words or texts; the numeric ones are in kinds.cc.
#include <algorithm>

#include "app/config/kinds.h"
#include "app/config/substitute.h"
#include "http/server.h"

namespace lethe::config {
namespace {

constexpr std::size_t kLongestTopic = 249;  // Kafka's own limit

Status Wrong(std::string message) { return Status(ErrorCode::kConfig, std::move(message)); }

bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool ConsistsOf(const std::string& text, std::string_view also) {
  return std::all_of(text.begin(), text.end(), [also](char c) {
    return IsAlphanumeric(c) || also.find(c) != std::string_view::npos;
  });
}

Status CheckText(const std::string& text) {
  if (text.empty()) return Wrong("is empty");
  if (text.find('\0') != std::string::npos) return Wrong("contains a NUL byte");
  return Status::Ok();
}

Status CheckTopic(const std::string& text) {
  if (text.empty() || text.size() > kLongestTopic || text == "." || text == ".." ||
      !ConsistsOf(text, "._-")) {
    return Wrong("is not a topic name");
  }
  return Status::Ok();
}

bool IsHost(const std::string& host) {
  const bool bracketed = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (bracketed) return ConsistsOf(host.substr(1, host.size() - 2), ":.%");
  return !host.empty() && ConsistsOf(host, ".-_");
}

Status CheckHostAndPort(const std::string& text, std::int64_t least_port) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return Wrong("has no port");
  if (!IsHost(text.substr(0, colon))) return Wrong("has no valid host");
  const Result<std::int64_t> port = ParseInteger(text.substr(colon + 1));
  if (!port.ok() || port.value() < least_port || port.value() > 65535) {
    return Wrong("has no valid port");
  }
  return Status::Ok();
}

Status CheckListenAddress(const std::string& text) {
  LETHE_RETURN_IF_ERROR(CheckHostAndPort(text, 0));
  if (text.starts_with('[') && !HttpServer::TakesIpv6()) {
    return Wrong("is an IPv6 address, for which the civetweb of this system was not built");
  }
  return Status::Ok();
}

Status CheckBrokers(const std::string& text) {
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string broker = text.substr(begin, end - begin);
    // Without a port librdkafka uses 9092.
    if (!IsHost(broker)) LETHE_RETURN_IF_ERROR(CheckHostAndPort(broker, 1));
    begin = end + 1;
  }
  return Status::Ok();
}

// Prints the text without quotes if YAML 1.1 and 1.2 both read it as a text then.
std::string PrintText(const std::string& text) {
  static constexpr std::string_view kSpecial[] = {"null", "true", "false", "yes", "no",
                                                  "on",   "off",  "y",     "n"};
  const bool begins = text.starts_with("./") || (text[0] >= 'a' && text[0] <= 'z');
  const bool special =
      std::find(std::begin(kSpecial), std::end(kSpecial), text) != std::end(kSpecial);
  if (begins && !special && ConsistsOf(text, "._-/")) return text;
  return Quote(EscapeDollars(text));
}

Status CheckIdentifier(const std::string& text) {
  if (text.empty() || !ConsistsOf(text, "_-")) return Wrong("is not a name");
  return Status::Ok();
}

Kind<std::string> CheckedText(std::string allowed, std::string schema,
                              std::function<Status(const std::string&)> check) {
  const auto parse = [check](const std::string& text) -> Result<std::string> {
    LETHE_RETURN_IF_ERROR(check(text));
    return text;
  };
  return {std::move(allowed), std::move(schema), parse, PrintText};
}

}  // namespace

Kind<std::string> Text(std::string allowed) {
  return CheckedText(std::move(allowed), R"({"type": "string", "minLength": 1})", CheckText);
}

Kind<std::string> Identifier(std::string allowed) {
  return CheckedText(std::move(allowed), R"({"type": "string", "minLength": 1})", CheckIdentifier);
}

Kind<std::string> Topic() {
  return CheckedText("a topic: up to 249 letters, digits, '.', '_' and '-'",
                     R"({"type": "string", "pattern": "^[a-zA-Z0-9._-]{1,249}$"})", CheckTopic);
}

Kind<std::string> ListenAddress() {
  return CheckedText("host:port, such as 127.0.0.1:9464 or 0.0.0.0:9464; port 0 takes a free one",
                     R"({"type": "string", "pattern": "^.+:[0-9]{1,5}$"})", CheckListenAddress);
}

Kind<std::string> Brokers() {
  return CheckedText("host:port, separated by commas", R"({"type": "string", "minLength": 1})",
                     CheckBrokers);
}

Kind<std::string> Word(std::vector<std::string> words) {
  const auto parse = [words](const std::string& text) -> Result<std::string> {
    if (std::find(words.begin(), words.end(), text) != words.end()) return text;
    return IsUnknown();
  };
  return {OneOf(words), EnumSchema(words), parse, PrintText, words};
}

Status IsUnknown() { return Wrong("is unknown"); }

std::string OneOf(const std::vector<std::string>& words) {
  std::string text = "one of ";
  for (const std::string& word : words) text += (&word == &words.front() ? "" : ", ") + word;
  return text;
}

std::string EnumSchema(const std::vector<std::string>& words) {
  std::string schema = "{\"enum\": [";
  for (const std::string& word : words) {
    schema += (&word == &words.front() ? "" : ", ") + Quote(word);
  }
  return schema + "]}";
}

}  // namespace lethe::config
