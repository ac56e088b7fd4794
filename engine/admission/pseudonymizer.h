#pragma once

#include <string>
#include <string_view>

#include "engine/base/types.h"
#include "engine/ports/hash.h"
#include "engine/ports/random.h"
#include "engine/ports/state.h"

namespace lethe {

// The three secret keys of a shard's names, and the id of its state.
struct ShardIdentity {
  ShardId shard;
  Uuid state{};
  HashKey ledger_key{};
  HashKey refuse_key{};
  HashKey receipt_key{};

  static ShardIdentity New(ShardId shard, RandomSource& random);

  template <typename Self, typename Archive>
  static void Fields(Self& self, Archive& archive) {
    archive(self.shard, self.state, self.ledger_key, self.refuse_key, self.receipt_key);
  }
};

// How ids and subjects are called inside: keyed hashes under three keys. The ledger's are what fits
// beside millions of others: 8 bytes of an id's, 7 of a subject's. A false match loses one event,
// or forgets one too many; it takes 10^9 ids to expect one in 40. The ledger's names are
// erased with a deletion. The refuse list's are derived from them under a second key, so they
// survive without giving the first ones away. Receipts use a third, so that a published receipt
// matches nothing on disk.
class Pseudonymizer {
 public:
  Pseudonymizer(const Hasher& hasher, const ShardIdentity& identity)
      : hasher_(hasher), identity_(identity) {}

  KeyHash Id(std::string_view id) const { return InLedger('i', id, 64); }
  KeyHash Subject(std::string_view subject) const { return InLedger('s', subject, 56); }
  KeyHash Lasting(const KeyHash& ledger_name) const;
  KeyHash SubjectInReceipt(std::string_view subject) const;

 private:
  KeyHash Tagged(char tag, std::string_view text) const;
  // The kept bits of it.
  KeyHash InLedger(char tag, std::string_view text, int bits) const;

  const Hasher& hasher_;
  ShardIdentity identity_;
};

}  // namespace lethe
