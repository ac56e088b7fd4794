#include "app/run/publisher.h"

#include <utility>

#include "connectors/json/base64.h"
#include "connectors/kafka/placed.h"
#include "engine/json.h"

namespace lethe {
namespace {

constexpr std::chrono::milliseconds kPatience{500};
constexpr char kKindHeader[] = "lethe.kind";

std::optional<std::string> Copy(const std::optional<std::string_view>& text) {
  if (!text) return std::nullopt;
  return std::string(*text);
}

}  // namespace

std::string ShardKey(const std::string& topic, ShardId shard) {
  return topic + "/" + std::to_string(shard.value);
}

void Publisher::SetNextEntry(ShardId shard, const std::string& state_id, std::uint64_t entry) {
  const std::lock_guard lock(mutex_);
  chains_[shard] = {state_id, entry};
}

Status Publisher::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

Status Publisher::Send(OutMessage message) {
  const std::string topic = message.topic;
  while (true) {
    LETHE_RETURN_IF_ERROR(failure());
    const Status status = producer_->Send(
        message,
        [this, topic](const Status& delivered) {
          // At a stop what is left over stays in the state, and is sent at the next start.
          if (delivered.ok() || stopping_) return;
          const std::lock_guard lock(mutex_);
          if (failure_.ok()) {
            failure_ = {delivered.code(),
                        "cannot write to topic " + topic + ": " + delivered.message()};
          }
        },
        kPatience);
    if (status.code() != ErrorCode::kUnavailable) return status;
    if (stopping_) return {ErrorCode::kInterrupted, "stopped while the brokers were away"};
  }
}

Status Publisher::Publish(ShardId shard, ChainKind kind, std::string_view bytes) {
  Shelve(shard, kind, bytes);
  if (!config_.publish.receipts_topic) return Status::Ok();
  Chain chain;
  {
    const std::lock_guard lock(mutex_);
    chain = chains_[shard];
    ++chains_[shard].next;
  }
  return Send({.topic = *config_.publish.receipts_topic,
               .partition = {},
               .key = ShardKey(config_.spec.topic, shard),
               .value = config_.publish.envelopes ? signer_.Envelope(bytes) : std::string(bytes),
               .headers = {{kStateHeader, chain.state_id},
                           {kEntryHeader, std::to_string(chain.next)},
                           {kKeyHeader, signer_.public_key().Id()},
                           {kSignatureHeader, ToBase64(signer_.Signature(bytes))},
                           {kKindHeader, kind == ChainKind::kReceipt ? "receipt" : "notice"}}});
}

Status Publisher::SendToModels(ShardId shard, const std::string& kind, std::string json) {
  if (!config_.publish.models_topic) return Status::Ok();
  return Send({.topic = *config_.publish.models_topic,
               .partition = {},
               .key = kind + "/" + std::to_string(shard.value),
               .value = std::move(json),
               .headers = {{kKindHeader, kind}}});
}

Status Publisher::PublishModel(ShardId shard, std::string json) {
  return SendToModels(shard, "model", std::move(json));
}

Status Publisher::PublishCleanFrom(ShardId shard, const std::string& state_id,
                                   ModelVersion clean_from) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.clean/1").Field("state", state_id);
  json.Field("shard", shard.value).Field("clean_from", clean_from.value).EndObject();
  return SendToModels(shard, "clean", json.text());
}

Status Publisher::SendDeadLetter(const DeadLetter& letter) {
  if (!wants_dead_letters()) return Status::Ok();
  const auto header = [](const char* name, std::string value) {
    return std::pair("__lethe.errors." + std::string(name), std::move(value));
  };
  OutMessage message{.topic = *config_.dead_letter.topic,
                     .partition = {},
                     .key = Copy(letter.key),
                     .value = config_.dead_letter.payload ? Copy(letter.value) : std::string(),
                     .headers = {}};
  message.headers = {header("topic", config_.spec.topic),
                     header("partition", std::to_string(letter.shard.value)),
                     header("offset", std::to_string(letter.offset.value)),
                     header("timestamp", std::to_string(letter.timestamp.value)),
                     header("stage", letter.rejection.is_request ? "request" : "learn"),
                     header("reason", ReasonName(letter.rejection.reason)),
                     header("message", letter.rejection.message)};
  return Send(std::move(message));
}

Status Publisher::PassOn(ShardId to, const std::optional<std::string>& key, const Event& request) {
  JsonWriter json;
  json.BeginObject().Field("type", "delete");
  if (request.id) json.Field("id", *request.id);
  if (request.subject) json.Field("subject", *request.subject);
  if (request.request) json.Field("request", *request.request);
  return Send({.topic = config_.spec.topic,
               .partition = static_cast<std::int32_t>(to.value),
               .key = key,
               .value = json.EndObject().text(),
               .headers = {{kPlacedHeader, "1"}}});
}

Status Publisher::WaitForAll() {
  if (producer_ == nullptr) return Status::Ok();
  while (true) {
    const Status status = producer_->Flush(kPatience);
    LETHE_RETURN_IF_ERROR(failure());
    if (status.code() != ErrorCode::kUnavailable) return status;
    if (stopping_) return {ErrorCode::kInterrupted, "stopped while the brokers were away"};
  }
}

}  // namespace lethe
