#include "app/config/scale_file.h"

#include "app/config/read_file.h"
#include "connectors/system/sodium_hash.h"
#include "engine/base/json.h"

namespace lethe::config {
namespace {

namespace dom = simdjson::dom;

// Means and deviations of 2^16 features, with their names.
constexpr std::size_t kLargestScale = std::size_t{1} << 26;

constexpr char kForm[] =
    R"(; it has the form {"public": false, "names": ["age"], "mean": [29.7], "deviation": [14.5]})";

Status Wrong(const std::string& path, const std::string& why) {
  return {ErrorCode::kConfig, path + ": " + why};
}

template <typename T>
Status ReadArray(const std::string& path, const std::string& key, const dom::element& value,
                 std::vector<T>& to) {
  dom::array array;
  if (value.get(array) != simdjson::SUCCESS) return Wrong(path, key + " is not an array");
  to.clear();
  for (const dom::element element : array) {
    if constexpr (std::is_same_v<T, double>) {
      double number = 0;
      if (element.get(number) != simdjson::SUCCESS) {
        return Wrong(path, key + "[" + std::to_string(to.size()) + "] is not a number");
      }
      to.push_back(number);
    } else {
      std::string_view text;
      if (element.get(text) != simdjson::SUCCESS) {
        return Wrong(path, key + "[" + std::to_string(to.size()) + "] is not a text");
      }
      to.emplace_back(text);
    }
  }
  return Status::Ok();
}

Status ReadMember(std::string_view key, const dom::element& value, ScaleSpec& scale) {
  const std::string& path = scale.file;
  if (key == "mean") return ReadArray(path, "mean", value, scale.mean);
  if (key == "deviation") return ReadArray(path, "deviation", value, scale.deviation);
  if (key == "names") return ReadArray(path, "names", value, scale.names);
  if (key == "public") {
    if (value.get(scale.is_public) == simdjson::SUCCESS) return Status::Ok();
    return Wrong(path, "public is neither true nor false");
  }
  if (key == "format") {
    std::string_view format;
    if (value.get(format) == simdjson::SUCCESS && format == kScaleFormat) return Status::Ok();
    return Wrong(path, std::string("format is not ") + kScaleFormat);
  }
  if (key == "sha256") {
    std::string_view sha256;
    if (value.get(sha256) != simdjson::SUCCESS) return Wrong(path, "sha256 is not a text");
    scale.sha256 = sha256;
    return Status::Ok();
  }
  return Wrong(path, "has a member that is not known" + std::string(kForm));
}

}  // namespace

Status ReadScale(const dom::object& members, ScaleSpec& scale) {
  for (const auto& [key, value] : members) LETHE_RETURN_IF_ERROR(ReadMember(key, value, scale));
  if (scale.mean.empty() || scale.deviation.empty()) {
    return Wrong(scale.file, "lacks mean or deviation" + std::string(kForm));
  }
  return Status::Ok();
}

Result<ScaleSpec> ReadScaleFile(const std::string& path) {
  const auto text = ReadWholeFile(path, "the file of means and deviations", kLargestScale);
  if (!text.ok()) return Wrong(path, text.status().message());
  dom::parser parser;
  dom::object members;
  const auto error = parser.parse(text.value()).get(members);
  if (error == simdjson::NUMBER_ERROR) return Wrong(path, "has a number that no double can hold");
  if (error) return Wrong(path, "is no JSON object" + std::string(kForm));
  ScaleSpec scale;
  scale.file = path;
  LETHE_RETURN_IF_ERROR(ReadScale(members, scale));
  const Digest digest = SodiumHasher().Sha256(text.value());
  scale.sha256 = ToHex(digest.data(), digest.size());
  return scale;
}

}  // namespace lethe::config
