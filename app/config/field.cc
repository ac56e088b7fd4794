#include "app/config/field.h"

namespace lethe::config {
namespace {

constexpr std::size_t kMostShown = 60;

std::string Shortened(const std::string& text) {
  if (text.size() <= kMostShown) return Quote(text);
  std::size_t end = kMostShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return Quote(text.substr(0, end) + "...");
}

}  // namespace

// The YAML of a value is JSON already, except for texts without quotes: words and durations.
std::string Field::Json(const Config& config) const {
  const std::string yaml = print(config);
  const bool is_json = yaml == "true" || yaml == "false" || yaml == "null" || yaml[0] == '"' ||
                       yaml[0] == '[' || yaml[0] == '{' || ParseNumber(yaml).ok();
  return is_json ? yaml : Quote(yaml);
}

std::string Shown(const Value& value) {
  std::string shown = Shortened(value.text);
  if (value.written != value.text) shown += " (from " + Shortened(value.written) + ")";
  return shown;
}

bool CheckIsScalar(const Value& value, const Place& place, const std::string& allowed) {
  switch (value.kind) {
    case Value::Kind::kScalar: return true;
    case Value::Kind::kNull: place.Report({"has no value", allowed}); return false;
    case Value::Kind::kList: place.Report({"a list cannot stand here", allowed}); return false;
    case Value::Kind::kMap: place.Report({"a mapping cannot stand here", allowed}); return false;
    case Value::Kind::kBroken: return false;
  }
  LETHE_CHECK(false);
}

}  // namespace lethe::config
