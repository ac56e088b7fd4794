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

// A cache of /v1/model: the average of the published shard models as a document, written at most
// once for each set of committed reports and each format, and only when a client asks for it.
// Thread-safe: clients that ask at the same time wait for one writer. It cannot fail.
class ModelDocument {
 public:
  enum class Format { kJson, kOnnx };  // lethe.model/1, or OnnxBytes
  static constexpr std::size_t kFormats = 2;

  struct Version {
    std::shared_ptr<const std::string> bytes;
    // A strong entity tag with its quotes: the ModelId and 16 digits of the SHA-256 of the bytes.
    // The id alone is not enough, because the ONNX form also names the last receipts, which may be
    // newer than the model versions.
    std::string etag;
  };

  // Borrows both, which must outlive this object.
  ModelDocument(const PublishedState& published, const Hasher& hasher)
      : published_(published), hasher_(hasher) {}

  // The current document; nothing before the first commit. The bytes stay valid as long as they are
  // held, even when a newer document is written.
  std::optional<Version> Get(Format format);

 private:
  using Reports = std::vector<std::shared_ptr<const ShardReport>>;
  std::string Write(Format format, const Reports& reports,
                    const std::vector<ShardModel>& shards) const;

  const PublishedState& published_;
  const Hasher& hasher_;
  std::mutex mutex_;
  // The reports of the cached documents. Weak, so that the weights of an old report are not kept in
  // memory.
  std::vector<std::weak_ptr<const ShardReport>> made_from_;
  std::array<std::optional<Version>, kFormats> made_;
};

// Whether an If-None-Match header names this tag.
bool NamesTag(std::string_view if_none_match, std::string_view etag);

}  // namespace lethe
