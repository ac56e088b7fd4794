#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/modes/unlearner.h"
#include "engine/ports/hash.h"
#include "engine/ports/state.h"
#include "engine/shard/counters.h"
#include "engine/spec/accountant.h"
#include "engine/spec/spec.h"

namespace lethe {

// Everything that one receipt says. Written once, when the request took effect.
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
  std::vector<ShardId> searched;      // nothing_learned
  std::vector<ShardId> passed_on;     // shards that may have more of it, and were sent the request
  std::vector<ShardId> pending;       // shards that could not say yet whether they have any of it
  std::vector<LearnedEvent> events;   // what was forgotten
  Offset received;
  TimeMs received_time = kNoTime;
  Offset effective;
  TimeMs effective_time = kNoTime;
  bool by_timer = false;   // it took effect by the clock, not with a record
  std::int64_t index = 0;  // learn steps taken when it took effect
  ModelVersion model_version;
  Forgetting forgetting;
  std::vector<std::string> why_not;  // empty: certified
  std::int64_t holders = 1;  // shards that held events of the subject, as far as can be known
  Promise promise;           // of all that is served
  double shard_mu = 0;       // of what this shard alone releases

  // What is known while the request waits.
  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.uuid, self.is_update, self.request, self.subject, self.events, self.received,
            self.received_time);
  }
};

// What is the same for every receipt of a shard.
struct ReceiptContext {
  const Spec& spec;
  std::int64_t shards;  // of the model that is served
  bool is_exact;        // the mode forgets exactly
  bool keeps_secret;    // the mode keeps the model before its noise
  bool is_adaptive;     // requests may depend on what was released
  std::string config_sha256;
  const Hasher& hasher;
};

// The exact bytes of a receipt (lethe.receipt/1), one line without its end. `previous` is the
// SHA-256 of the chain's entry before, in hex.
std::string WriteReceipt(const Receipt& receipt, const ReceiptContext& context,
                         const std::string& previous);

// The exact bytes of a notice (lethe.notice/1) that the request was received and waits.
std::string WriteReceivedNotice(const Receipt& receipt, const std::string& previous);

// The exact bytes of a notice that nothing of the forgotten events is left on disk.
// `receipt_sha256` is of the receipt's bytes; offset and time are of the last record before, but
// the time is the clock's if that decided.
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

// The exact bytes of a notice that this record's timestamp lies in the future, or that timestamps
// do not any more: from this record on its arrival counts (engine/shard/time_bound.h).
struct ClockNotice {
  Uuid state{};
  ShardId shard;
  Offset offset;
  TimeMs time = kNoTime;
  TimeMs arrival = kNoTime;
};
std::string WriteClockNotice(const ClockNotice& notice, const std::string& previous);

// The exact bytes of a notice about the chain itself: "gap", records that were gone before they
// could be read, from one offset up to another; "begun", a chain that begins anew after another's;
// or "key", entries are signed with another key from here on.
struct ChainNotice {
  const char* status;
  Uuid state{};
  ShardId shard;
  Offset from;
  Offset to;
  std::string after = {};  // begun: the state id of the chain before
  // key: the public keys, in Base64
  std::string old_key = {};
  std::string new_key = {};
};
std::string WriteChainNotice(const ChainNotice& notice, const std::string& previous);

// The `previous` of the first entry of a chain.
inline constexpr char kChainStart[] =
    "0000000000000000000000000000000000000000000000000000000000000000";

std::string ToText(const Uuid& uuid);

}  // namespace lethe
