#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/config/config.h"
#include "app/pipeline/loop_ports.h"
#include "app/pipeline/router.h"
#include "app/receipts/key_file.h"
#include "app/run/arrivals.h"
#include "connectors/kafka/producer.h"
#include "engine/ports/event.h"
#include "engine/ports/sink.h"
#include "engine/ports/state.h"
#include "http/recent_receipts.h"
#include "metrics/pipeline_metrics.h"

namespace lethe {

// The headers that let a reader of the receipts topic tell whose entry it is, and which one.
inline constexpr char kStateHeader[] = "lethe.state";
inline constexpr char kEntryHeader[] = "lethe.entry";
// And the signature over the entry, in Base64, as it stands in the entry's envelope.
inline constexpr char kKeyHeader[] = "lethe.keyid";
inline constexpr char kSignatureHeader[] = "lethe.signature";

inline constexpr char kKindHeader[] = "lethe.kind";

// The keys of owner records, which are no entries of a chain, begin with it.
inline constexpr char kOwnerPrefix[] = "owner/";

// And those of marks, which say up to which version the models of a state were released.
inline constexpr char kReleasedPrefix[] = "released/";
inline constexpr char kVersionHeader[] = "lethe.version";

// The key of a shard's messages: "topic/partition".
std::string ShardKey(const std::string& topic, ShardId shard);

// Where marks go: the models topic, which is compacted, or else the receipts topic. None: nowhere.
std::optional<std::string> MarksTopic(const Config& config);
// The key of the marks of one state of a shard.
std::string MarkKey(const std::string& topic, ShardId shard, const std::string& state_id);

// Sends what a process has to say to its topics: receipts and notices in chain order, models, dead
// letters. A topic that is not configured is not written to. A message that can never arrive is an
// error of the run, and failure() has it; but no size stops it: a dead letter that is too large
// goes out without its contents, and models are not sent if one could be too large. Thread-safe,
// except for SetModelLimit.
class Publisher final : public Sink, public LoopOutput {
 public:
  // `producer` may be null if no topic is configured, `recent_receipts` if nobody looks at
  // receipts, `metrics` if nobody counts.
  Publisher(const Config& config, KafkaProducer* producer, const ReceiptSigner& signer,
            const std::atomic<bool>& stopping, RecentReceipts* recent_receipts = nullptr,
            PipelineMetrics* metrics = nullptr)
      : config_(config),
        producer_(producer),
        signer_(signer),
        stopping_(stopping),
        recent_receipts_(recent_receipts),
        metrics_(metrics) {}

  // Shows an entry that is committed, without publishing it.
  void Shelve(ShardId shard, ChainKind kind, std::string_view bytes) {
    if (recent_receipts_ != nullptr) recent_receipts_->Add(shard, kind, bytes);
  }

  // The bytes of the largest record that the models topic takes. If a model could have more,
  // whatever its weights are, none is published, and the log says so. To be called before the first
  // model; without it every model is sent.
  void SetModelLimit(std::int64_t bytes);

  // The next entry of this shard's chain that the topic does not have.
  void SetNextEntry(ShardId shard, const std::string& state_id, std::uint64_t entry);

  Status Publish(ShardId shard, ChainKind kind, std::string_view bytes) override;
  // To the models topic, one key per shard for each, so that a compacted topic keeps the last one:
  // the model document; and the notice that every model before `clean_from` carries somebody who
  // was forgotten since, and has to go.
  Status PublishModel(ShardId shard, const std::function<std::string()>& json);
  Status PublishCleanFrom(ShardId shard, const std::string& state_id, ModelVersion clean_from);
  // Marks that the models of this state are released up to `version`; a broker has the mark when
  // this returns ok. kInterrupted if the process is to stop before.
  Status PublishMark(ShardId shard, const std::string& state_id, ModelVersion version);
  // Waits until everything that was sent to the models topic for this shard has arrived, but for
  // models that are too large for it. kInterrupted if the process is to stop before.
  Status WaitForModels(ShardId shard);

  bool wants_dead_letters() const override { return config_.dead_letter.topic.has_value(); }
  Status SendDeadLetter(const DeadLetter& letter) override;

  // Sends a request to another partition of the source topic, marked as placed: a delete, and for
  // an update a delete of the old version.
  Status PassOn(ShardId to, const RoutedRequest& target);

  // Waits until nothing is on its way; kInterrupted if the process is to stop before.
  Status WaitForAll() override;

  Status failure() const override;
  std::int64_t outstanding() const { return producer_ == nullptr ? 0 : producer_->outstanding(); }

 private:
  struct Chain {
    std::string state_id;
    std::uint64_t next = 0;
  };

  // Called instead of a failure when the topic refuses the message as it is.
  using OnRefused = std::function<void()>;

  // `arrivals` (may be null) hears of the message's end.
  Status Send(OutMessage message, OnRefused on_refused = {},
              const std::shared_ptr<Arrivals>& arrivals = nullptr);
  // What is to be done when a message was delivered, or never will be.
  void Conclude(const Status& delivered, const std::string& topic, const OnRefused& on_refused,
                Arrivals* arrivals);
  std::shared_ptr<Arrivals> ModelsOf(ShardId shard);
  // Sends the dead letters that were refused, without their contents. How many it were so far.
  Result<std::size_t> SendCutLetters();
  Status SendToModels(ShardId shard, const std::string& kind, std::string json,
                      OnRefused on_refused = {});

  const Config& config_;
  KafkaProducer* const producer_;
  const ReceiptSigner& signer_;
  const std::atomic<bool>& stopping_;
  RecentReceipts* const recent_receipts_;
  PipelineMetrics* const metrics_;
  mutable std::mutex mutex_;
  std::map<ShardId, Chain> chains_;
  std::map<ShardId, std::shared_ptr<Arrivals>> models_;
  Status failure_;
  std::vector<OutMessage> cut_letters_;  // to be sent
  bool models_fit_ = true;
  std::mutex cutting_mutex_;  // one shard sends them at a time, and others wait for it
  std::size_t letters_cut_ = 0;
};

}  // namespace lethe
