#pragma once

#include <string>
#include <string_view>

#include "engine/base/types.h"
#include "engine/ports/hash.h"
#include "engine/ports/random.h"
#include "engine/ports/state.h"

namespace lethe {

// The id of a shard's state and its three secret hash keys. A value type; it is stored with the
// state and must not be logged.
struct ShardIdentity {
  ShardId shard;
  Uuid state{};
  HashKey ledger_key{};
  HashKey refuse_key{};
  HashKey receipt_key{};

  // Draws a new state id and new keys.
  static ShardIdentity New(ShardId shard, RandomSource& random);

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.shard, self.state, self.ledger_key, self.refuse_key, self.receipt_key);
  }
};

// Replaces ids and subjects by keyed hashes, under three keys:
//
// * The ledger key, for the index of learned events. To keep the index small, 8 bytes of an id's
//   hash are kept and 7 of a subject's. A false match loses one event, or forgets one too many; of
//   10^9 ids the expected number of false matches is 1/40. A deletion erases these hashes.
// * The refuse key, for the list of refused ids and subjects. These hashes are computed from the
//   ledger hashes, so they can outlive them without revealing them.
// * The receipt key, for published receipts, so that a receipt matches nothing on disk.
//
// Thread-safe. It owns a copy of the keys and borrows the hasher, which must outlive it.
class Pseudonymizer {
 public:
  Pseudonymizer(const Hasher& hasher, const ShardIdentity& identity)
      : hasher_(hasher), identity_(identity) {}

  // The ledger hashes of an id and of a subject.
  KeyHash Id(std::string_view id) const { return InLedger('i', id, 64); }
  KeyHash Subject(std::string_view subject) const { return InLedger('s', subject, 56); }
  // The refuse hash that belongs to a ledger hash.
  KeyHash Lasting(const KeyHash& ledger_name) const;
  // The hash of a subject in a published receipt.
  KeyHash SubjectInReceipt(std::string_view subject) const;

 private:
  // The full 128-bit hash under the ledger key; the tag keeps ids and subjects apart.
  KeyHash Tagged(char tag, std::string_view text) const;
  // The low `bits` bits of Tagged; never zero.
  KeyHash InLedger(char tag, std::string_view text, int bits) const;

  const Hasher& hasher_;
  ShardIdentity identity_;
};

}  // namespace lethe
