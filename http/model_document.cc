#include "http/model_document.h"

#include <algorithm>

#include "engine/base/json.h"
#include "engine/shard/model_json.h"
#include "http/onnx_model.h"

namespace lethe {
namespace {

// Whether both refer to the same report, even if it is already destroyed.
bool SameObject(const std::weak_ptr<const ShardReport>& a,
                const std::shared_ptr<const ShardReport>& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

std::optional<ModelDocument::Version> ModelDocument::Get(Format format) {
  // Held while the document is written, so that clients who ask at once share one document.
  const std::lock_guard lock(mutex_);
  const Reports reports = published_.reports();
  if (reports.empty()) return std::nullopt;
  if (!std::equal(made_from_.begin(), made_from_.end(), reports.begin(), reports.end(),
                  SameObject)) {
    made_ = {};
    made_from_.assign(reports.begin(), reports.end());
  }
  std::optional<Version>& made = made_[static_cast<std::size_t>(format)];
  if (!made) {
    const std::vector<ShardModel> shards = ModelsOf(reports);
    std::string bytes = Write(format, reports, shards);
    const Digest digest = hasher_.Sha256(bytes);
    made = Version{.bytes = std::make_shared<const std::string>(std::move(bytes)),
                   .etag = '"' + ModelId(shards, hasher_) + "-" + ToHex(digest.data(), 8) + '"'};
  }
  return made;
}

std::string ModelDocument::Write(Format format, const Reports& reports,
                                 const std::vector<ShardModel>& shards) const {
  const PipelineInfo& info = published_.info();
  if (format == Format::kJson) return ModelJson(info, shards, hasher_) + "\n";
  OnnxModel model = OnnxModelOf(info, AverageModels(shards), shards, hasher_);
  for (const auto& report : reports) model.receipts.emplace_back(report->shard, report->chain_head);
  return OnnxBytes(model);
}

bool NamesTag(std::string_view if_none_match, std::string_view etag) {
  while (!if_none_match.empty()) {
    const std::size_t comma = if_none_match.find(',');
    std::string_view tag = if_none_match.substr(0, comma);
    if_none_match.remove_prefix(comma == std::string_view::npos ? if_none_match.size() : comma + 1);
    while (tag.starts_with(' ') || tag.starts_with('\t')) tag.remove_prefix(1);
    while (tag.ends_with(' ') || tag.ends_with('\t')) tag.remove_suffix(1);
    // If-None-Match compares weakly (RFC 9110, 13.1.2).
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == "*" || tag == etag) return true;
  }
  return false;
}

}  // namespace lethe
