#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/modes/unlearner.h"
#include "engine/ports/hash.h"
#include "engine/ports/state.h"
#include "engine/privacy/ledger.h"
#include "engine/shard/counters.h"
#include "engine/spec/accountant.h"
#include "engine/spec/spec.h"

namespace lethe {

// What decided when a request took effect: a record; the clock, which ended a wait; or the clock,
// which ended the pause between two rewinds, so that several requests shared one.
enum class EffectiveBy { kStream, kTimer, kGroup };
const char* Name(EffectiveBy by);

// The contents of one receipt. It is filled in two steps: when the request is received and when it
// takes effect. A value type.
struct Receipt {
  Uuid uuid{};
  Uuid state{};
  ShardId shard;
  Outcome outcome = Outcome::kForgotten;
  bool is_update = false;
  std::optional<std::string> request;
  std::optional<KeyHash> subject;     // under the receipts key
  std::optional<Uuid> first_receipt;  // already_forgotten
  std::optional<Reason> reason;       // rejected
  std::vector<ShardId> searched;      // nothing_learned, not_retained
  std::vector<ShardId> passed_on;     // shards that may hold events of it and got the request
  std::vector<ShardId> pending;       // shards that cannot tell yet whether they hold any
  std::vector<LearnedEvent> events;   // the forgotten events
  Offset received;
  TimeMs received_time = kNoTime;
  Offset effective;
  TimeMs effective_time = kNoTime;
  EffectiveBy by = EffectiveBy::kStream;
  std::int64_t index = 0;  // learn steps taken when it took effect
  ModelVersion model_version;
  // Events before this index have expired: no model since that version depends on them, or, with
  // ReceiptContext::covers_old, every draw since that version covers them. 0: none has.
  EventIndex expired_before;
  ModelVersion expired_since;
  TimeMs expired_time = kNoTime;  // all that arrived before it has expired; kNoTime: not known
  // Set for a request by subject in a mode with a window: whether it carries a timestamp of its
  // producer, so that older events of the subject are refused.
  std::optional<bool> refuses_by_time;
  bool lacks_clock = false;  // retention is a time, and no record had a timestamp so far
  Forgetting forgetting;
  std::vector<std::string> why_not;  // empty: certified
  std::int64_t holders = 1;  // shards that held events of the subject, as far as can be known
  Promise promise;           // for the served average of all shards
  double shard_mu = 0;       // for the releases of this shard alone

  // The fields that are saved while the request is pending.
  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.uuid, self.is_update, self.request, self.subject, self.events, self.received,
            self.received_time);
  }
};

// The values that all receipts of a shard share. The references are borrowed.
struct ReceiptContext {
  const Spec& spec;
  std::int64_t shards;  // the number of shards in the served model
  bool is_exact;        // the mode forgets exactly
  bool keeps_secret;    // the mode keeps the model before its noise
  bool is_adaptive;     // the promise holds for requests that depend on released models
  Ledger::Blank blank;  // what the reference world does at the position of a deleted event
  bool covers_old;      // events before Receipt::expired_before are covered by every draw
  std::string config_sha256;
  const Hasher& hasher;
};

// The functions below return the exact bytes of a chain entry: one line of JSON without a line end.
// `previous` is the SHA-256, in hex, of the entry before it in the chain. They are thread-safe.

// A receipt (lethe.receipt/1).
std::string WriteReceipt(const Receipt& receipt, const ReceiptContext& context,
                         const std::string& previous);

// A notice (lethe.notice/1) that the request was received and is pending.
std::string WriteReceivedNotice(const Receipt& receipt, const std::string& previous);

// A notice that no byte of the forgotten events is left on disk. `receipt_sha256` is the hash of
// the receipt's bytes. If events have expired without a request, there is no receipt, and the hash
// is that of the notice of it. `offset` and `time` are those of the last record before the erasure;
// if the clock decided (`by_timer`), the time is the clock's.
struct ErasedNotice {
  Uuid receipt{};
  Uuid state{};
  ShardId shard;
  std::string receipt_sha256;
  Offset offset;
  TimeMs time = kNoTime;
  bool by_timer = false;
};
std::string WriteErasedNotice(const ErasedNotice& notice, const std::string& previous);

// A notice that the window has slid: no model from this version on depends on an event before the
// anchor. `offset` and `time` are those of the record that moved the window; if the clock decided
// (`by_timer`), the offset is that of the last record and the time is the clock's. With
// `is_covered`: every draw from this version on covers all events before the anchor, of which
// nothing else is known any more.
struct ExpiredNotice {
  Uuid state{};
  ShardId shard;
  EventIndex anchor;
  TimeMs anchor_time = kNoTime;  // all that arrived before it has expired; kNoTime: not known
  std::int64_t retained = 0;     // events that stay; 0: the model is empty
  ModelVersion model_version;
  Offset offset;
  TimeMs time = kNoTime;
  bool by_timer = false;
  bool is_covered = false;
};
std::string WriteExpiredNotice(const ExpiredNotice& notice, const std::string& previous);

// A notice that the arrival of this record decides event time from here on, because its timestamp
// lies in the future; or, if it does not, that timestamps count again (engine/shard/time_bound.h).
struct ClockNotice {
  Uuid state{};
  ShardId shard;
  Offset offset;
  TimeMs time = kNoTime;
  TimeMs arrival = kNoTime;
};
std::string WriteClockNotice(const ClockNotice& notice, const std::string& previous);

// A notice about the chain itself. Its status is "gap": the records from one offset up to another
// were gone before they could be read; "begun": this chain follows that of another state; or "key":
// entries are signed with another key from here on.
struct ChainNotice {
  const char* status;
  Uuid state{};
  ShardId shard;
  Offset from;
  Offset to;
  std::string after = {};  // begun: the state id of the earlier chain
  // key: the public keys, in Base64
  std::string old_key = {};
  std::string new_key = {};
};
std::string WriteChainNotice(const ChainNotice& notice, const std::string& previous);

// The value of `previous` in the first entry of a chain.
inline constexpr char kChainStart[] =
    "0000000000000000000000000000000000000000000000000000000000000000";

// The usual text of a UUID, with hyphens.
std::string ToText(const Uuid& uuid);

}  // namespace lethe
