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

// The headers of an entry in the receipts topic: the id of the state, and the number of the entry.
inline constexpr char kStateHeader[] = "lethe.state";
inline constexpr char kEntryHeader[] = "lethe.entry";
// The id of the key, and the signature over the entry in Base64, as in the entry's envelope.
inline constexpr char kKeyHeader[] = "lethe.keyid";
inline constexpr char kSignatureHeader[] = "lethe.signature";

inline constexpr char kKindHeader[] = "lethe.kind";

// The prefix of the keys of owner records, which are no entries of a chain.
inline constexpr char kOwnerPrefix[] = "owner/";

// The prefix of the keys of marks. A mark says up to which version the models of a state were
// released.
inline constexpr char kReleasedPrefix[] = "released/";
inline constexpr char kVersionHeader[] = "lethe.version";

// The key of a shard's messages: "topic/partition".
std::string ShardKey(const std::string& topic, ShardId shard);

// The topic of the marks: the models topic, which is compacted, or else the receipts topic. None if
// neither is configured.
std::optional<std::string> MarksTopic(const Config& config);
// The key of the marks of one state of a shard.
std::string MarkKey(const std::string& topic, ShardId shard, const std::string& state_id);

// The publisher of a process: it sends receipts and notices in chain order, models, marks, dead
// letters and passed-on requests to their topics. A topic that is not configured is not written to.
//
// A message that can never arrive ends the run: failure() keeps the reason, and every later call
// returns it. Size alone ends no run: a dead letter that is too large goes out without its
// contents, and models are not sent if one could be too large.
//
// Thread-safe, except for SetModelLimit. Borrows everything that the constructor takes.
class Publisher final : public Sink, public LoopOutput {
 public:
  // `producer` may be null if no topic is configured, `recent_receipts` if HTTP does not show
  // receipts, `metrics` if nothing is counted.
  Publisher(const Config& config, KafkaProducer* producer, const ReceiptSigner& signer,
            const std::atomic<bool>& stopping, RecentReceipts* recent_receipts = nullptr,
            PipelineMetrics* metrics = nullptr)
      : config_(config),
        producer_(producer),
        signer_(signer),
        stopping_(stopping),
        recent_receipts_(recent_receipts),
        metrics_(metrics) {}

  // Adds a committed entry to the recent receipts that HTTP shows, without publishing it.
  void Shelve(ShardId shard, ChainKind kind, std::string_view bytes) {
    if (recent_receipts_ != nullptr) recent_receipts_->Add(shard, kind, bytes);
  }

  // Sets the size of the largest record that the models topic takes. If a model with this
  // configuration could be larger, no model is published, and the log says so. To be called before
  // the workers start; without it every model is sent.
  void SetModelLimit(std::int64_t bytes);

  // Sets the number of the next entry of this shard's chain, for the header of Publish.
  void SetNextEntry(ShardId shard, const std::string& state_id, std::uint64_t entry);

  // Signs an entry and hands it to the producer. Entries of one shard are published in chain order.
  Status Publish(ShardId shard, ChainKind kind, std::string_view bytes) override;
  // Both send to the models topic, with one key for each shard and kind, so that a compacted topic
  // keeps the last message. PublishModel sends the model document, and calls `json` only if it is
  // sent. PublishCleanFrom sends the notice that every model before `clean_from` carries an event
  // that was forgotten since, and must be discarded.
  Status PublishModel(ShardId shard, const std::function<std::string()>& json);
  Status PublishCleanFrom(ShardId shard, const std::string& state_id, ModelVersion clean_from);
  // Marks that the models of this state are released up to `version`. Ok means that a broker has
  // the mark. kInterrupted if the process is to stop before that.
  Status PublishMark(ShardId shard, const std::string& state_id, ModelVersion version);
  // Waits until a broker has everything that was sent to the models topic for this shard, except
  // for models that the topic refuses. kInterrupted if the process is to stop before that.
  Status WaitForModels(ShardId shard);

  bool wants_dead_letters() const override { return config_.dead_letter.topic.has_value(); }
  Status SendDeadLetter(const DeadLetter& letter) override;

  // Sends a request to another partition of the source topic, with the header that keeps the shard
  // there from passing it on again. For an update it is a delete of the old version.
  Status PassOn(ShardId to, const RoutedRequest& target);

  // Waits until every message of all shards is acknowledged. kInterrupted if the process is to stop
  // before that.
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

  // Hands the message to the producer, and waits while its queue is full. `arrivals` (may be null)
  // counts the message until a broker has it.
  Status Send(OutMessage message, OnRefused on_refused = {},
              const std::shared_ptr<Arrivals>& arrivals = nullptr);
  // Called once for each message, in a thread of the producer: it was delivered, or never will be.
  void Conclude(const Status& delivered, const std::string& topic, const OnRefused& on_refused,
                Arrivals* arrivals);
  std::shared_ptr<Arrivals> ModelsOf(ShardId shard);
  // Sends the dead letters again that were refused, without their contents. Returns how many there
  // were since the start.
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
  std::vector<OutMessage> cut_letters_;  // refused dead letters, cut and not sent again yet
  bool models_fit_ = true;
  std::mutex cutting_mutex_;  // one shard at a time sends cut letters, and others wait for it
  std::size_t letters_cut_ = 0;
};

}  // namespace lethe
