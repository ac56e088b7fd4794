#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/ports/hash.h"
#include "engine/shard/model_json.h"
#include "metrics/published_state.h"

namespace lethe {

// The model of the shards here, made once for each state of the published and each format that is
// asked for. Thread-safe.
class ModelDocument {
 public:
  enum class Format { kJson, kOnnx };  // lethe.model/1; OnnxBytes
  static constexpr std::size_t kFormats = 2;

  struct Version {
    std::shared_ptr<const std::string> bytes;
    // Strong, with its quotes: the ModelId, and 16 digits of the SHA-256 of the bytes, since ONNX
    // also names the last receipts, which may be newer than the versions.
    std::string etag;
  };

  // Both outlive this.
  ModelDocument(const PublishedState& published, const Hasher& hasher)
      : published_(published), hasher_(hasher) {}

  // Nothing before the first commit.
  std::optional<Version> Get(Format format);

 private:
  using Reports = std::vector<std::shared_ptr<const ShardReport>>;
  std::string Write(Format format, const Reports& reports,
                    const std::vector<ShardModel>& shards) const;

  const PublishedState& published_;
  const Hasher& hasher_;
  std::mutex mutex_;
  // Weak, so that the weights of an old report are not kept.
  std::vector<std::weak_ptr<const ShardReport>> made_from_;
  std::array<std::optional<Version>, kFormats> made_;
};

// Whether an If-None-Match header names this tag.
bool NamesTag(std::string_view if_none_match, std::string_view etag);

}  // namespace lethe
