#include "app/model/export.h"

#include <filesystem>

#include "app/model/merge.h"
#include "app/receipts/chain.h"
#include "app/run/pipeline_info.h"
#include "connectors/system/sodium_hash.h"
#include "connectors/system/sodium_random.h"
#include "engine/shard/shard.h"
#include "http/download.h"
#include "http/onnx_model.h"
#include "metrics/published_state.h"
#include "state/shard_folder.h"

namespace lethe {
namespace {

// The sink of a shard that is read and never runs.
class NoSink final : public Sink {
 public:
  Status Publish(ShardId, ChainKind, std::string_view) override {
    return {ErrorCode::kInternal, "a shard that is only read has published"};
  }
};

// Whether the last commit survives a power cut. A model whose random draws could be undone must not
// be released, because the same version would come again with other draws.
Status CheckSynced(const std::string& path, ShardId shard, const Store& store) {
  const auto commits = DurableState::CommitsIn(store);
  if (!commits.ok()) return commits.status();
  const auto mark = ReadCommitWatermark(ShardPath(path, shard) + "/high-water");
  if (!mark.ok()) return mark.status();
  if (commits.value() <= mark.value().synced) return Status::Ok();
  return {
      ErrorCode::kInput,
      "shard " + std::to_string(shard.value) +
          ": the state has learned, with random draws, what is not synced to the disk yet, and "
          "a power cut would draw it again. Export from the daemon (lethe model export URL), or "
          "stop the daemon first"};
}

Result<ShardReport> ReadReport(const std::string& path, ShardId shard, const Spec& spec,
                               const Hasher& hasher) {
  const auto identity = ReadIdentity(path, shard, hasher);
  if (!identity.ok()) return identity.status();
  const auto store = RocksStore::OpenForReading(ShardPath(path, shard) + "/db");
  if (!store.ok()) return store.status();
  const auto state = DurableState::OpenParts(*store.value());
  if (!state.ok()) return state.status();
  NoSink sink;
  Probe probe;
  SystemRandom random;
  const auto plan = Plan::Make(spec, Shard::ShardsOf(*state.value()));
  if (!plan.ok()) return plan.status();
  if (plan.value().mode->draws_while_learning) {
    LETHE_RETURN_IF_ERROR(CheckSynced(path, shard, *store.value()));
  }
  Shard reader(plan.value(), identity.value(),
               {*state.value(), state.value()->payloads(), sink, probe, hasher, random});
  LETHE_RETURN_IF_ERROR(reader.Resume());
  return reader.Report();
}

}  // namespace

Result<std::string> ExportFromDaemon(const std::string& url,
                                     const std::optional<std::string>& token, ModelFormat format) {
  return Download(url, format == ModelFormat::kOnnx ? "/v1/model?format=onnx" : "/v1/model", token);
}

Result<std::string> ExportFromState(const Config& config, const Plan& plan, ModelFormat format) {
  const std::string& path = config.state.path;
  const auto shards = ShardsIn(path);
  if (!shards.ok()) return Status(ErrorCode::kInput, shards.status().message());
  if (shards.value().empty()) return Status(ErrorCode::kInput, path + " holds no state");
  const SodiumHasher hasher;
  PublishedState published(PipelineInfoOf(plan, hasher));
  for (const ShardId shard : shards.value()) {
    auto report = ReadReport(path, shard, plan.spec, hasher);
    if (!report.ok()) return report.status();
    published.Show(std::move(report).value());
  }
  return *ModelDocument(published, hasher).Get(format)->bytes;
}

Result<std::string> ExportFromFile(const std::string& path, ModelFormat format) {
  const SodiumHasher hasher;
  std::error_code ignored;
  const bool is_folder = std::filesystem::is_directory(path, ignored);
  auto file = ReadModel(is_folder ? path + "/model.json" : path, hasher);
  if (!file.ok()) return file.status();
  if (format == ModelFormat::kJson) {
    const auto json = MergeModels({std::move(file).value()}, hasher);
    return json.ok() ? json.value() + "\n" : json;
  }
  OnnxModel onnx =
      OnnxModelOf(PipelineInfoOf(file.value()), file.value().weights, file.value().shards, hasher);
  if (is_folder) {
    const auto book = ReadReceipts(path, hasher);
    if (!book.ok()) return book.status();
    for (const ChainHead& head : book.value().heads) {
      onnx.receipts.emplace_back(ShardId{head.shard}, head.head);
    }
  }
  return OnnxBytes(onnx);
}

}  // namespace lethe
