#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/types.h"

namespace lethe {

enum class EventKind { kLearn, kDelete, kUpdate };

// Why a record was refused. A closed list: the names are the labels of
// lethe_dead_letters_total{reason} and the keys of "rejected" in summary.json.
enum class Reason {
  kMalformed,         // the record is not JSON, truncated, not UTF-8, or nested too deep
  kTooLarge,          // a record above the size limit, or with more than kMaxFeatures features
  kUnknownType,       // "type" is none of learn, delete, update
  kMissingField,      // a learn without x, f or y
  kWrongType,         // a field has another JSON type than documented
  kNotFinite,         // a number that is not finite
  kWrongDimension,    // x has another length than model.dimension
  kOversized,         // |x| above model.feature_norm, with oversized: reject
  kLabelOutOfRange,   // y outside of what the loss accepts
  kMissingTarget,     // a delete that names neither an id nor a subject
  kBadReference,      // an id, subject or request longer than its limit
  kWeightOutOfRange,  // "w" is negative, or above model.weight_bound
  kUnknownClass,      // y names a class that the model does not have
  kCount,
};

// The documented name, e.g. "wrong_dimension". The text is static.
const char* ReasonName(Reason reason);

// The refusal of one record.
struct Rejection {
  Reason reason = Reason::kMalformed;
  std::string message;      // the error and the field that has it; never a payload, id or subject
  bool is_request = false;  // the record was recognisably a delete, so it gets a receipt
};

// The longest id or subject, and the longest request reference, in bytes.
inline constexpr std::size_t kMaxIdBytes = 1024;
inline constexpr std::size_t kMaxRequestBytes = 128;

// Named features, and texts that stand where a feature has its value, in the order of the event.
using NamedValues = std::vector<std::pair<std::string, double>>;
using NamedTexts = std::vector<std::pair<std::string, std::string>>;

// A decoded event, which owns its texts and features. A codec decodes many records into one object,
// so that the buffers are allocated once.
struct Event {
  EventKind kind = EventKind::kLearn;
  std::optional<std::string> id;
  std::optional<std::string> subject;  // the message key, or "subject" in a bare event
  std::optional<std::string> request;  // deletes: the caller's opaque reference
  // Deletes by id: an update on another partition has replaced the event, and only the old version
  // here is to be deleted.
  bool is_replaced = false;
  std::vector<double> x;  // dense features
  NamedValues named;      // named features ("f")
  NamedTexts texts;       // the members of "f" whose values are texts
  double y = 0;
  std::optional<std::string> label;  // y as text: the name of a class
  double w = 1;                      // the importance weight
  // Members of the JSON object that Lethe does not read.
  std::uint32_t unknown_members = 0;

  // Resets every field and keeps the buffers of the features.
  void Clear();
};

// The offset of a record in its partition, and its times.
struct Position {
  Offset offset;
  TimeMs timestamp = kNoTime;
  // The time of arrival, set only if it replaces a timestamp that lies in the future
  // (engine/shard/time_bound.h).
  TimeMs arrival = kNoTime;
  // The timestamp was set by the broker when it took the record, and not by the producer.
  bool is_broker_time = false;

  // Whether the timestamp is the producer's own.
  bool has_producer_time() const { return timestamp != kNoTime && !is_broker_time; }
};

// One record of the source: its position, and either a decoded event or a rejection.
struct Record {
  ShardId shard;
  Offset offset;
  TimeMs timestamp = kNoTime;
  // As in Position.
  TimeMs arrival = kNoTime;
  bool is_broker_time = false;
  Event event;
  std::optional<Rejection> rejection;
  bool is_rerouted = false;  // another shard sent this delete here; do not pass it on again

  Position position() const { return {offset, timestamp, arrival, is_broker_time}; }
};

}  // namespace lethe
