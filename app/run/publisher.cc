#include "app/run/publisher.h"

#include <utility>

#include "app/log.h"
#include "app/topics/limits.h"
#include "connectors/json/base64.h"
#include "connectors/kafka/reroute_header.h"
#include "engine/base/json.h"

namespace lethe {
namespace {

constexpr std::chrono::milliseconds kPatience{500};

std::optional<std::string> Copy(const std::optional<std::string_view>& text) {
  if (!text) return std::nullopt;
  return std::string(*text);
}

std::pair<std::string, std::string> ErrorHeader(const char* name, std::string value) {
  return {"__lethe.errors." + std::string(name), std::move(value)};
}

// A dead letter that is too large, cut to the position of the record and the reason.
OutMessage WithoutContents(OutMessage letter) {
  std::string left_out = "payload";
  letter.value = std::string();
  if (letter.key && letter.key->size() > kMaxIdBytes) {
    left_out += ", key";
    letter.key = std::nullopt;
  }
  letter.headers.push_back(ErrorHeader("left_out", left_out));
  return letter;
}

}  // namespace

std::string ShardKey(const std::string& topic, ShardId shard) {
  return topic + "/" + std::to_string(shard.value);
}

std::optional<std::string> MarksTopic(const Config& config) {
  return config.publish.models_topic ? config.publish.models_topic : config.publish.receipts_topic;
}

std::string MarkKey(const std::string& topic, ShardId shard, const std::string& state_id) {
  return kReleasedPrefix + ShardKey(topic, shard) + "/" + state_id;
}

void Publisher::SetNextEntry(ShardId shard, const std::string& state_id, std::uint64_t entry) {
  const std::lock_guard lock(mutex_);
  chains_[shard] = {state_id, entry};
}

Status Publisher::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

void Publisher::Conclude(const Status& delivered, const std::string& topic,
                         const OnRefused& on_refused, Arrivals* arrivals) {
  const bool is_refused = delivered.code() == ErrorCode::kInput;
  if (is_refused && on_refused) on_refused();
  const bool is_settled = delivered.ok() || (is_refused && on_refused);
  if (arrivals != nullptr) arrivals->Ended(is_settled ? Status::Ok() : delivered);
  // At a stop the remaining entries stay in the state, and the next start sends them.
  if (is_settled || (stopping_ && !is_refused)) return;
  const std::lock_guard lock(mutex_);
  if (failure_.ok()) {
    failure_ = {delivered.code(), "cannot write to topic " + topic + ": " + delivered.message()};
  }
}

// Waits while the queue of the producer is full, until the process is to stop. A message that the
// producer or the topic refuses for its size goes to `on_refused`, if there is one.
Status Publisher::Send(OutMessage message, OnRefused on_refused,
                       const std::shared_ptr<Arrivals>& arrivals) {
  const std::string topic = message.topic;
  while (true) {
    LETHE_RETURN_IF_ERROR(failure());
    if (arrivals != nullptr) arrivals->Sent();
    const Status status = producer_->Send(
        message,
        [this, topic, on_refused, arrivals](const Status& delivered) {
          Conclude(delivered, topic, on_refused, arrivals.get());
        },
        kPatience);
    if (status.ok()) return status;
    if (arrivals != nullptr) arrivals->Ended(Status::Ok());  // the producer did not take it
    if (status.code() == ErrorCode::kInput && on_refused) {
      on_refused();
      return Status::Ok();
    }
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

Status Publisher::SendToModels(ShardId shard, const std::string& kind, std::string json,
                               OnRefused on_refused) {
  if (!config_.publish.models_topic) return Status::Ok();
  return Send({.topic = *config_.publish.models_topic,
               .partition = {},
               .key = kind + "/" + std::to_string(shard.value),
               .value = std::move(json),
               .headers = {{kKindHeader, kind}}},
              std::move(on_refused), ModelsOf(shard));
}

std::shared_ptr<Arrivals> Publisher::ModelsOf(ShardId shard) {
  const std::lock_guard lock(mutex_);
  auto& arrivals = models_[shard];
  if (arrivals == nullptr) arrivals = std::make_shared<Arrivals>();
  return arrivals;
}

Status Publisher::WaitForModels(ShardId shard) {
  const auto arrivals = ModelsOf(shard);
  while (!arrivals->WaitFor(kPatience)) {
    LETHE_RETURN_IF_ERROR(failure());
    if (stopping_) return {ErrorCode::kInterrupted, "stopped while the brokers were away"};
  }
  LETHE_RETURN_IF_ERROR(failure());
  const Status status = arrivals->failure();
  if (status.ok()) return status;
  return {stopping_ ? ErrorCode::kInterrupted : status.code(), status.message()};
}

void Publisher::SetModelLimit(std::int64_t bytes) {
  const std::int64_t most = MostModelBytes(config_.spec);
  models_fit_ = most <= bytes;
  if (models_fit_ || !config_.publish.models_topic) return;
  LogWarning("a model may have " + std::to_string(most) + " bytes, and topic " +
             *config_.publish.models_topic + " takes " + std::to_string(bytes) +
             ": no model is published; raise its max.message.bytes, and start again. "
             "lethe_models_too_large_total counts them");
}

Status Publisher::PublishModel(ShardId shard, const std::function<std::string()>& json) {
  if (!config_.publish.models_topic) return Status::Ok();
  if (models_fit_) {
    // A topic that takes less than it said may refuse some models and take others. The length of a
    // model depends on every learned event, so a refusal is neither counted nor logged.
    return SendToModels(shard, "model", json(), [] {});
  }
  if (metrics_ != nullptr) metrics_->shard(shard).AddModelTooLarge();
  return Status::Ok();
}

Status Publisher::PublishCleanFrom(ShardId shard, const std::string& state_id,
                                   ModelVersion clean_from) {
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.clean/1").Field("state", state_id);
  json.Field("shard", shard.value).Field("clean_from", clean_from.value).EndObject();
  return SendToModels(shard, "clean", json.text());
}

Status Publisher::PublishMark(ShardId shard, const std::string& state_id, ModelVersion version) {
  const auto topic = MarksTopic(config_);
  if (!topic) return Status::Ok();
  JsonWriter json;
  json.BeginObject().Field("format", "lethe.released/1").Field("state", state_id);
  json.Field("shard", shard.value).Field("model_version", version.value).EndObject();
  LETHE_RETURN_IF_ERROR(Send({.topic = *topic,
                              .partition = {},
                              .key = MarkKey(config_.spec.topic, shard, state_id),
                              .value = json.text(),
                              .headers = {{kKindHeader, "released"},
                                          {kStateHeader, state_id},
                                          {kVersionHeader, std::to_string(version.value)}}},
                             {}, ModelsOf(shard)));
  return WaitForModels(shard);
}

Status Publisher::SendDeadLetter(const DeadLetter& letter) {
  if (!wants_dead_letters()) return Status::Ok();
  OutMessage message{.topic = *config_.dead_letter.topic,
                     .partition = {},
                     .key = Copy(letter.key),
                     .value = config_.dead_letter.payload ? Copy(letter.value) : std::string(),
                     .headers = {}};
  message.headers = {ErrorHeader("topic", config_.spec.topic),
                     ErrorHeader("partition", std::to_string(letter.shard.value)),
                     ErrorHeader("offset", std::to_string(letter.offset.value)),
                     ErrorHeader("timestamp", std::to_string(letter.timestamp.value)),
                     ErrorHeader("stage", letter.rejection.is_request ? "request" : "learn"),
                     ErrorHeader("reason", ReasonName(letter.rejection.reason)),
                     ErrorHeader("message", letter.rejection.message)};
  const bool has_contents = (message.value && !message.value->empty()) ||
                            (message.key && message.key->size() > kMaxIdBytes);
  if (!has_contents) return Send(std::move(message));
  OutMessage cut{message.topic, message.partition, message.key, {}, message.headers};
  return Send(std::move(message), [this, cut = WithoutContents(std::move(cut))] {
    const std::lock_guard lock(mutex_);
    cut_letters_.push_back(cut);
  });
}

Result<std::size_t> Publisher::SendCutLetters() {
  const std::lock_guard cutting(cutting_mutex_);
  std::vector<OutMessage> letters;
  {
    const std::lock_guard lock(mutex_);
    letters.swap(cut_letters_);
  }
  letters_cut_ += letters.size();
  for (OutMessage& letter : letters) LETHE_RETURN_IF_ERROR(Send(std::move(letter)));
  return letters_cut_;
}

// The key carries the subject, since a subject may be any bytes and JSON is UTF-8.
Status Publisher::PassOn(ShardId to, const RoutedRequest& target) {
  const Request& request = target.request;
  JsonWriter json;
  json.BeginObject().Field("type", "delete");
  if (request.id) json.Field("id", *request.id);
  if (request.is_replacement) json.Field("cause", "update");
  if (request.reference) json.Field("request", *request.reference);
  return Send({.topic = config_.spec.topic,
               .partition = static_cast<std::int32_t>(to.value),
               .key = target.name,
               .value = json.EndObject().text(),
               .headers = {{kRerouteHeader, "1"}}});
}

// A dead letter that is refused during the flush is cut and has to be sent again. So the flush is
// repeated until no letter was cut meanwhile, by this shard or by another one.
Status Publisher::WaitForAll() {
  if (producer_ == nullptr) return Status::Ok();
  while (true) {
    const auto cut = SendCutLetters();
    if (!cut.ok()) return cut.status();
    const Status status = producer_->Flush(kPatience);
    LETHE_RETURN_IF_ERROR(failure());
    if (status.code() == ErrorCode::kUnavailable) {
      if (stopping_) return {ErrorCode::kInterrupted, "stopped while the brokers were away"};
      continue;
    }
    // kInput is a message that was refused for its size: it is in failure(), or on_refused took it.
    if (!status.ok() && status.code() != ErrorCode::kInput) return status;
    const auto cut_now = SendCutLetters();
    if (!cut_now.ok()) return cut_now.status();
    if (cut_now.value() == cut.value()) return Status::Ok();
  }
}

}  // namespace lethe
