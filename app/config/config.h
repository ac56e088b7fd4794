#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/spec/spec.h"

// The values of a configuration file, as plain data. The members are named after the
// keys (docs/configuration.md) and initialised with the defaults; app/config/table.cc connects the
// two. A Config that comes from LoadConfig has been checked; one made by hand has not.
namespace lethe {

enum class Start { kEarliest, kLatest };

const char* Name(Start start);

// Which partitions of the topic this process works on. Static, because a shard is pinned to its
// state: a partition handed to a process without its ledger leaves people who cannot be forgotten.
struct Partitions {
  enum class Kind { kAll, kList, kOrdinal };

  Kind kind = Kind::kAll;
  std::vector<std::int32_t> list;  // kList: ascending, without repeats
  std::int32_t ordinal = 0;        // kOrdinal: every partition p with p % of == ordinal
  std::int32_t of = 1;

  bool Contains(std::int32_t partition) const;
};

// Secrets are in files, and the configuration has only their paths. An unset member means
// librdkafka's default.
struct SecurityConfig {
  std::optional<std::string> protocol;
  std::optional<std::string> mechanism;
  std::optional<std::string> username;
  std::optional<std::string> password_file;
  std::optional<std::string> ca;
  std::optional<std::string> certificate;
  std::optional<std::string> key;
};

// The topic is not here but in Spec::topic, because the ids of events are made from it.
struct KafkaConfig {
  std::string brokers = "localhost:9092";
  Partitions partitions;
  std::string partitioner = "murmur2";            // by librdkafka's name
  std::map<std::string, std::string> properties;  // handed to librdkafka unchanged
  SecurityConfig security;
};

struct SourceConfig {
  KafkaConfig kafka;
  Start start = Start::kEarliest;
};

struct PublishConfig {
  std::optional<std::string> receipts_topic;
  bool envelopes = false;
  std::optional<std::string> models_topic;
  std::int64_t models_every_ms = 10'000;
};

struct DeadLetterConfig {
  std::optional<std::string> topic;
  bool payload = false;
};

struct StateConfig {
  std::string path = "./lethe-state";
  std::int64_t commit_events = 4096;
  std::int64_t commit_every_ms = 100;
  std::int64_t snapshots = 3;
  std::int64_t snapshot_every = 1'000'000;
};

// The key erasure.refuse_late_for is in Spec::refuse_late_for_ms, because the engine uses it.
struct ErasureConfig {
  std::int64_t max_lag_ms = 60'000;
};

struct RegretConfig {
  std::int64_t sample = 0;
};

struct HttpConfig {
  std::string listen = "127.0.0.1:9464";
  std::optional<std::string> token_file;
};

struct Config {
  Config() { spec.model.lambda_is_auto = spec.learning.update_is_auto = true; }

  Spec spec;
  SourceConfig source;
  PublishConfig publish;
  DeadLetterConfig dead_letter;
  StateConfig state;
  ErasureConfig erasure;
  RegretConfig regret;
  HttpConfig http;
};

}  // namespace lethe
