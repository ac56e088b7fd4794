#include "app/topics/online_check.h"

#include <algorithm>
#include <map>

#include "app/topics/limits.h"
#include "app/topics/retention.h"
#include "connectors/kafka/admin.h"
#include "connectors/kafka/partitioner.h"
#include "connectors/kafka/producer.h"
#include "engine/spec/retention.h"

namespace lethe {
namespace {

using Level = Finding::Level;

constexpr std::int64_t kDayMs = 24 * 3600 * std::int64_t{1000};
constexpr std::int64_t kSampleOfPartition = 200;  // records
constexpr std::int64_t kLargestProbe = std::int64_t{16} << 20;
constexpr std::int64_t kReceiptBytes = 32 * 1024;  // at most, in its envelope

// Runs the checks one after another and collects the findings.
class OnlineCheck {
 public:
  OnlineCheck(const Config& config, TopicAccess& access) : config_(config), access_(access) {}

  Result<std::vector<Finding>> Run() {
    auto admin = KafkaAdmin::Open(access_.settings(), {});
    if (!admin.ok()) return admin.status();
    admin_ = std::move(admin).value();
    const auto id = access_.cluster().ClusterId(kBrokerTimeout);
    if (!id.ok()) return id.status();
    LETHE_RETURN_IF_ERROR(CheckSource());
    LETHE_RETURN_IF_ERROR(CheckCopies(config_.publish.models_topic,
                                      "old models, which carry "
                                      "people who were forgotten since,",
                                      Level::kBroken));
    LETHE_RETURN_IF_ERROR(CheckCopies(config_.dead_letter.topic,
                                      "keys, and payloads if they are "
                                      "wanted, of people who were forgotten since",
                                      Level::kWarning));
    LETHE_RETURN_IF_ERROR(CheckReceipts());
    CheckLimits();
    return std::move(findings_);
  }

 private:
  void Add(Level level, const std::string& topic, std::string what) {
    findings_.push_back({level, topic, std::move(what)});
  }

  // The retention and the number of partitions of a topic. None, after adding a finding, if it does
  // not exist.
  Result<std::optional<TopicRetention>> Look(const std::string& topic, std::int32_t& partitions) {
    const auto count = access_.cluster().PartitionCount(topic, kBrokerTimeout);
    if (!count.ok()) return count.status();
    if (!count.value()) {
      Add(Level::kBroken, topic, "does not exist; create it");
      return std::optional<TopicRetention>();
    }
    partitions = *count.value();
    const auto settings = admin_->DescribeTopic(topic, kBrokerTimeout);
    if (settings.status().code() == ErrorCode::kUnavailable) return settings.status();
    if (!settings.ok()) {
      Add(Level::kWarning, topic, "its settings cannot be read: " + settings.status().message());
      return std::optional<TopicRetention>();
    }
    if (const auto bytes = MaxMessageBytes(settings.value())) limits_[topic] = *bytes;
    LETHE_RETURN_IF_ERROR(CheckPermission(topic));
    return std::optional(TopicRetention::Of(settings.value()));
  }

  Status CheckSource() {
    const std::string& topic = config_.spec.topic;
    std::int32_t partitions = 0;
    const auto retention = Look(topic, partitions);
    if (!retention.ok()) return retention.status();
    if (partitions == 0) return Status::Ok();
    CheckAssignment(partitions);
    if (retention.value()) {
      CheckLife(topic, *retention.value(), "events of people who were forgotten", Level::kBroken);
      CheckLateness(*retention.value());
      CheckExpiry(*retention.value());
      CheckCompaction(*retention.value());
    }
    return SamplePartitioner(partitions);
  }

  void CheckAssignment(std::int32_t partitions) {
    const std::string& topic = config_.spec.topic;
    std::int32_t chosen = 0;
    for (std::int32_t p = 0; p < partitions; ++p) {
      chosen += config_.source.kafka.partitions.Contains(p) ? 1 : 0;
    }
    for (const std::int32_t p : config_.source.kafka.partitions.list) {
      if (p < partitions) continue;
      Add(Level::kBroken, topic,
          "source.kafka.partitions names partition " + std::to_string(p) + ", and there are " +
              std::to_string(partitions));
    }
    Add(chosen > 0 ? Level::kOk : Level::kBroken, topic,
        std::to_string(chosen) + " of " + std::to_string(partitions) +
            " partitions are assigned to this process");
  }

  // Checks how long a topic keeps records that a deletion should remove.
  void CheckLife(const std::string& topic, const TopicRetention& retention,
                 const std::string& whose, Level level) {
    const auto longest = retention.Longest();
    const std::int64_t allowed = std::max(config_.erasure.max_lag_ms, RefuseMs());
    if (!longest) {
      Add(level, topic,
          "keeps " + whose +
              " for ever: set retention.ms, or compact it and set "
              "max.compaction.lag.ms");
    } else if (*longest > allowed) {
      Add(level, topic,
          "keeps " + whose + " for " + DurationText(*longest) + ", longer than " +
              "erasure.refuse_late_for (" + DurationText(RefuseMs()) + ")");
    } else if (*longest > config_.erasure.max_lag_ms) {
      Add(Level::kWarning, topic,
          "keeps " + whose + " for " + DurationText(*longest) + " after erasure.max_lag (" +
              DurationText(config_.erasure.max_lag_ms) + ") has removed them from the state");
    } else {
      Add(Level::kOk, topic, "keeps nothing longer than " + DurationText(*longest));
    }
  }

  std::int64_t RefuseMs() const { return config_.spec.refuse_late_for_ms; }

  // Checks that Kafka keeps records until they are read.
  void CheckLateness(const TopicRetention& retention) {
    const std::string& topic = config_.spec.topic;
    if (retention.is_deleted && retention.keep_ms && *retention.keep_ms < kDayMs) {
      Add(Level::kWarning, topic,
          "removes records after " + DurationText(*retention.keep_ms) +
              ": an outage longer than that loses deletions");
    }
    if (retention.is_deleted && retention.keep_bytes) {
      Add(Level::kWarning, topic,
          "removes records by size (retention.bytes): a burst may push out deletions that were "
          "not read yet");
    }
  }

  // Compares a retention in time with that of the source topic.
  void CheckExpiry(const TopicRetention& retention) {
    const std::int64_t expires = config_.spec.forgetting.retention.time_ms;
    if (RewindWindowMs(config_.spec.forgetting) == 0) return;
    const std::string& topic = config_.spec.topic;
    const auto longest = retention.Longest();
    if (!longest || *longest > expires) {
      Add(Level::kWarning, topic,
          "keeps events " + (longest ? "for " + DurationText(*longest) : std::string("for ever")) +
              ", and by forgetting.retention they expire after " + DurationText(expires) +
              ": what has left the model is still there; set retention.ms to at most " +
              std::to_string(expires));
    }
    if (retention.is_deleted && retention.keep_ms && *retention.keep_ms < expires) {
      Add(Level::kWarning, topic,
          "removes events after " + DurationText(*retention.keep_ms) +
              ", and the model is of up to " + DurationText(expires) +
              " (forgetting.retention): it could not be made again from the topic if the state "
              "were lost");
    }
  }

  void CheckCompaction(const TopicRetention& retention) {
    const std::string& topic = config_.spec.topic;
    if (!retention.is_compacted) return;
    if (retention.min_compaction_lag_ms < kDayMs) {
      Add(retention.min_compaction_lag_ms == 0 ? Level::kBroken : Level::kWarning, topic,
          "is compacted, which may remove events and deletions by id before they are read: set "
          "min.compaction.lag.ms above the longest outage, at least " +
              DurationText(kDayMs));
    }
    if (retention.tombstone_ms < kDayMs) {
      Add(Level::kBroken, topic,
          "tombstones are removed after " + DurationText(retention.tombstone_ms) +
              ", perhaps before they are read: set delete.retention.ms above the longest outage");
    }
  }

  Status CheckCopies(const std::optional<std::string>& topic, const std::string& whose,
                     Level level) {
    std::int32_t partitions = 0;
    if (!topic) return Status::Ok();
    const auto retention = Look(*topic, partitions);
    if (!retention.ok()) return retention.status();
    if (retention.value()) CheckLife(*topic, *retention.value(), whose, level);
    return Status::Ok();
  }

  // Checks that Kafka keeps receipts for ever.
  Status CheckReceipts() {
    if (!config_.publish.receipts_topic) {
      Add(Level::kWarning, config_.spec.topic,
          "without publish.receipts_topic an old copy of the state cannot be told from the newest");
      return Status::Ok();
    }
    const std::string& topic = *config_.publish.receipts_topic;
    std::int32_t partitions = 0;
    const auto retention = Look(topic, partitions);
    if (!retention.ok()) return retention.status();
    if (!retention.value()) return Status::Ok();
    if (retention.value()->is_compacted) {
      Add(Level::kWarning, topic,
          "is compacted: only the last receipt of each shard stays; set cleanup.policy=delete and "
          "retention.ms=-1");
    } else if (retention.value()->keep_ms || retention.value()->keep_bytes) {
      Add(Level::kWarning, topic,
          "removes receipts, and with the last one the proof that a state is not an old copy; set "
          "retention.ms=-1 and retention.bytes=-1");
    } else {
      Add(Level::kOk, topic, "keeps all receipts");
    }
    return Status::Ok();
  }

  // Checks that receipts, models and dead letters fit into their topics. Of these, only a receipt
  // that does not fit stops the daemon.
  void CheckLimits() {
    const auto limit = [&](const std::optional<std::string>& topic) -> std::optional<std::int64_t> {
      const auto found = topic ? limits_.find(*topic) : limits_.end();
      if (found == limits_.end()) return std::nullopt;
      return found->second;
    };
    const auto source = limit(config_.spec.topic);
    const auto dead = limit(config_.dead_letter.topic);
    if (config_.dead_letter.payload && source && dead && *dead < *source) {
      Add(Level::kWarning, *config_.dead_letter.topic,
          "takes " + std::to_string(*dead) + " bytes, topic " + config_.spec.topic + " takes " +
              std::to_string(*source) +
              ": a refused record that is larger is put aside without its payload; raise "
              "max.message.bytes");
    }
    const auto models = limit(config_.publish.models_topic);
    const std::int64_t model = MostModelBytes(config_.spec);
    if (models && *models < model) {
      Add(Level::kBroken, *config_.publish.models_topic,
          "takes " + std::to_string(*models) + " bytes, a model may have " + std::to_string(model) +
              ": no model is published; raise max.message.bytes");
    }
    const auto receipts = limit(config_.publish.receipts_topic);
    if (receipts && *receipts < kReceiptBytes) {
      Add(Level::kBroken, *config_.publish.receipts_topic,
          "takes " + std::to_string(*receipts) + " bytes, a receipt has up to " +
              std::to_string(kReceiptBytes) + ": raise max.message.bytes");
    }
  }

  // Checks the right to write with a record that is larger than the topic takes. The broker checks
  // the right first and then refuses the size, so nothing is ever written.
  Status CheckPermission(const std::string& topic) {
    const auto limit = limits_.find(topic);
    const std::int64_t bytes = limit == limits_.end() ? -1 : limit->second;
    if (bytes <= 0 || bytes > kLargestProbe) {
      Add(Level::kWarning, topic, "whether this user may write was not tried");
      return Status::Ok();
    }
    KafkaSettings large = access_.settings();
    large.properties["message.max.bytes"] = std::to_string(bytes + (1 << 16));
    large.properties["compression.codec"] = "none";
    auto producer = KafkaProducer::Start(large, {});
    if (!producer.ok()) return producer.status();
    const OutMessage probe{.topic = topic,
                           .partition = 0,
                           .key = "probe",
                           .value = std::string(static_cast<std::size_t>(bytes) + 1024, 'x'),
                           .headers = {}};
    LETHE_RETURN_IF_ERROR(producer.value()->Send(probe, {}, kBrokerTimeout));
    const Status sent = producer.value()->Flush(kBrokerTimeout);
    if (sent.code() == ErrorCode::kInput) return Status::Ok();
    if (sent.code() == ErrorCode::kUnavailable) return sent;
    // Only requests that have to be passed on are written to the source.
    const bool is_source = topic == config_.spec.topic;
    Add(is_source ? Level::kWarning : Level::kBroken, topic,
        sent.ok() ? "took a record above its own limit; whether this user may write is not known"
                  : "cannot be written to: " + sent.message());
    return Status::Ok();
  }

  // Finds the partitioner that explains the keys of the last records of each partition.
  Status SamplePartitioner(std::int32_t partitions) {
    const std::string& topic = config_.spec.topic;
    if (partitions == 1) return Status::Ok();
    const std::string& configured = config_.source.kafka.partitioner;
    const std::string family = configured.substr(0, configured.find('_'));
    std::map<std::string, std::int64_t> fits = {{"murmur2", 0}, {"consistent", 0}, {"fnv1a", 0}};
    std::int64_t keys = 0;
    for (std::int32_t p = 0; p < partitions; ++p) {
      auto range = access_.cluster().Range(topic, p, kBrokerTimeout);
      if (!range.ok()) return range.status();
      auto [first, next] = range.value();
      first.value = std::max(first.value, next.value - kSampleOfPartition);
      LETHE_RETURN_IF_ERROR(access_.Read(topic, p, {first, next}, [&](const FoundMessage& message) {
        if (!message.key) return true;
        ++keys;
        for (auto& [name, count] : fits) {
          count += Partitioner::FromName(name)->Of(message.key, partitions) == p ? 1 : 0;
        }
        return true;
      }));
    }
    if (keys == 0) {
      Add(Level::kWarning, topic, "has no record with a key yet: the partitioner was not checked");
      return Status::Ok();
    }
    const auto best = std::max_element(
        fits.begin(), fits.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::string share = std::to_string(fits[family]) + " of the last " +
                              std::to_string(keys) + " keys are where " + configured + " puts them";
    if (fits[family] == keys) {
      Add(Level::kOk, topic, share);
    } else if (best->second == keys) {
      Add(Level::kBroken, topic, share + "; all fit source.kafka.partitioner: " + best->first);
    } else {
      Add(Level::kBroken, topic,
          share +
              "; no partitioner fits all: producers differ, or partitions were added. "
              "Deletions are passed on where this process can tell; make the producers agree");
    }
    return Status::Ok();
  }

  const Config& config_;
  TopicAccess& access_;
  std::unique_ptr<KafkaAdmin> admin_;
  std::map<std::string, std::int64_t> limits_;  // bytes that a record of a topic may have
  std::vector<Finding> findings_;
};

}  // namespace

const char* Name(Finding::Level level) {
  switch (level) {
    case Level::kOk: return "ok";
    case Level::kWarning: return "warning";
    case Level::kBroken: return "broken";
  }
  return "";
}

Result<std::vector<Finding>> CheckOnline(const Config& config, TopicAccess& access) {
  return OnlineCheck(config, access).Run();
}

}  // namespace lethe
