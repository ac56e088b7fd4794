#pragma once

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
  kMalformed,        // not JSON, truncated, not UTF-8, or nested too deep
  kTooLarge,         // a record above the size limit
  kUnknownType,      // "type" is none of learn, delete, update
  kMissingField,     // a learn without x, f or y
  kWrongType,        // a field has another JSON type than documented
  kNotFinite,        // a number that is not finite
  kWrongDimension,   // x has another length than model.dimension
  kOversized,        // |x| above model.feature_norm, with oversized: reject
  kLabelOutOfRange,  // y outside of what the loss accepts
  kMissingTarget,    // a delete that names neither an id nor a subject
  kBadReference,     // an id, subject or request longer than its limit
  kCount,
};

// The documented name, e.g. "wrong_dimension".
const char* ReasonName(Reason reason);

struct Rejection {
  Reason reason = Reason::kMalformed;
  std::string message;      // what was wrong and where; never a payload, id or subject
  bool is_request = false;  // the record was recognisably a delete: a rejected request
};

// Limits of what an event may carry, in bytes.
inline constexpr std::size_t kMaxIdBytes = 1024;
inline constexpr std::size_t kMaxRequestBytes = 128;

// A decoded event. A codec reuses one object for many records, so that its buffers are reused.
struct Event {
  EventKind kind = EventKind::kLearn;
  std::optional<std::string> id;
  std::optional<std::string> subject;  // the message key, or "subject" in a bare event
  std::optional<std::string> request;  // deletes: the caller's opaque reference
  bool is_replaced = false;  // deletes by id: of the old version, by an update on another partition
  std::vector<double> x;     // dense features
  std::vector<std::pair<std::string, double>> named;  // named features ("f")
  double y = 0;

  void Clear();
};

// Where a record stands in its partition, and when it came.
struct Position {
  Offset offset;
  TimeMs timestamp = kNoTime;
  // The time of arrival, where it decides event time instead of the timestamp
  // (engine/shard/time_bound.h).
  TimeMs arrival = kNoTime;
};

// One record of the source: where it stood, and the event or why there is none.
struct Record {
  ShardId shard;
  Offset offset;
  TimeMs timestamp = kNoTime;
  // When it arrived, where that decides event time instead of the timestamp
  // (engine/shard/time_bound.h).
  TimeMs arrival = kNoTime;
  Event event;
  std::optional<Rejection> rejection;
  bool is_rerouted = false;  // a delete that was sent to this shard on purpose: look no further

  Position position() const { return {offset, timestamp, arrival}; }
};

}  // namespace lethe
