#include "app/topics/limits.h"

#include <algorithm>
#include <charconv>

#include "engine/base/json.h"
#include "engine/spec/dimension.h"
#include "engine/spec/features.h"

namespace lethe {
namespace {

// The range that librdkafka accepts for message.max.bytes.
constexpr std::int64_t kSmallest = 1000;
constexpr std::int64_t kLargest = 1'000'000'000;
constexpr std::int64_t kUsualBatch = 1'000'000;  // librdkafka's default for batches and records
constexpr std::int64_t kWeightBytes = 25;        // the longest text of a number, and a comma
constexpr std::int64_t kModelFrameBytes = 2048;  // the rest of a model, its key and its headers

}  // namespace

std::optional<std::int64_t> MaxMessageBytes(const KafkaAdmin::TopicConfig& config) {
  const auto found = config.find("max.message.bytes");
  if (found == config.end()) return std::nullopt;
  const std::string& text = found->second;
  std::int64_t bytes = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), bytes).ec != std::errc()) {
    return std::nullopt;
  }
  return bytes;
}

KafkaSettings FitToLimits(KafkaSettings settings, const std::vector<std::int64_t>& limits) {
  if (limits.empty()) return settings;
  const auto [least, most] = std::minmax_element(limits.begin(), limits.end());
  // The largest limit: if another topic takes less, its broker refuses the record.
  settings.properties.try_emplace("message.max.bytes",
                                  std::to_string(std::clamp(*most, kSmallest, kLargest)));
  if (*least < kUsualBatch) {
    settings.properties.try_emplace("batch.size",
                                    std::to_string(std::max<std::int64_t>(1, *least)));
  }
  return settings;
}

Result<std::map<std::string, std::int64_t>> AskForLimits(const KafkaSettings& settings,
                                                         const std::vector<std::string>& topics,
                                                         std::chrono::milliseconds timeout) {
  const auto admin = KafkaAdmin::Open(settings, {});
  if (!admin.ok()) return admin.status();
  std::map<std::string, std::int64_t> limits;
  for (const std::string& topic : topics) {
    const auto config = admin.value()->DescribeTopic(topic, timeout);
    if (config.status().code() == ErrorCode::kUnavailable) return config.status();
    if (!config.ok()) continue;
    if (const auto bytes = MaxMessageBytes(config.value())) limits[topic] = *bytes;
  }
  return limits;
}

std::int64_t MostModelBytes(const Spec& spec) {
  JsonWriter features;
  if (HasMaps(spec.features)) WriteFeatures(features, spec.features, ScaleForm::kNumbers);
  const std::int64_t frame = kModelFrameBytes + static_cast<std::int64_t>(features.text().size());
  if (spec.model.loss != LossKind::kSoftmax) {
    return frame + kWeightBytes * ModelDimension(spec);
  }
  // A weight of each feature and an intercept for every class, and the classes themselves. A
  // character of a name takes at most 6 bytes ("\u0000").
  std::int64_t names = 0;
  for (const std::string& name : spec.model.class_names) {
    names += 6 * static_cast<std::int64_t>(name.size()) + 3;
  }
  const std::int64_t numbers = spec.model.classes * (InputDimension(spec) + 2);
  return frame + names + kWeightBytes * numbers;
}

std::int64_t MostSentBytes(const KafkaSettings& settings, std::optional<std::int64_t> limit) {
  const auto found = settings.properties.find("message.max.bytes");
  std::int64_t bytes = kUsualBatch;
  if (found != settings.properties.end()) {
    const std::string& text = found->second;
    std::from_chars(text.data(), text.data() + text.size(), bytes);
  }
  return std::min(bytes, limit.value_or(bytes));
}

}  // namespace lethe
