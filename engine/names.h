#pragma once

#include <string>
#include <string_view>

#include "engine/ports/hash.h"
#include "engine/ports/random.h"
#include "engine/types.h"

namespace lethe {

// How ids and subjects are called inside: keyed hashes under three keys. The ledger's names are
// erased with a deletion. The refuse list's are derived from them under a second key, so they
// survive without giving the first ones away. Receipts use a third, so that a published receipt
// matches nothing on disk.
class Names {
 public:
  Names(const Hasher& hasher, RandomSource& random, ShardId shard);

  KeyHash Id(std::string_view id) const { return Tagged('i', id); }
  KeyHash Subject(std::string_view subject) const { return Tagged('s', subject); }
  KeyHash Lasting(const KeyHash& ledger_name) const;
  KeyHash InReceipt(const KeyHash& ledger_name) const;

 private:
  KeyHash Tagged(char tag, std::string_view text) const;

  const Hasher& hasher_;
  HashKey ledger_key_{};
  HashKey refuse_key_{};
  HashKey receipt_key_{};
  mutable std::string buffer_;
};

}  // namespace lethe
